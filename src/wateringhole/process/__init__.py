"""Players in their own processes: programs and isolated Python players."""
