"""`python -m steelyard` is the command `steelyard`."""

from steelyard.cli.main import main

if __name__ == "__main__":
    main()
