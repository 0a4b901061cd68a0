"""Diagnosis of a table: checks out of what it tells, a report, calibration, a support file.

Knows records and no port; who asks the table is cli/diag.
"""
