"""Diagnosis of a table: checks of its reports, a report, calibration, a support file.

Knows records and no port; cli/diag sends the requests.
"""
