"""Players in processes of their own: programs and isolated Python players."""
