"""What each page has that only it can teach: one file per experiment."""
