# SPDX-License-Identifier: Apache-2.0
"""What all tests of the package begin with."""
import signal

# shells start background jobs with interrupts ignored, which tests send to themselves and to programs
signal.signal(signal.SIGINT, signal.default_int_handler)
