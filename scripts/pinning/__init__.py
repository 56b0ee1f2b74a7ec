"""What ``scripts/pin`` does: Go modules, what a release's source tells, and what differs from the minor before."""
