"""The application: joins engine, store and metrics."""
