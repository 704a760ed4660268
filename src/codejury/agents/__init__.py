"""Agents: rollouts, their reliability, and what they cost."""
