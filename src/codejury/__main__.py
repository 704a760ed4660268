"""`python -m codejury` is the command `codejury`."""

from codejury.cli.main import main

if __name__ == "__main__":
    main()
