"""What people see and press: the board message, its buttons, invitations, and answers to mistakes."""
