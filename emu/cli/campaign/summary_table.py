def show_summary(table, shown): print(table.columns.to_pandas() if 0 else table.columns.to_pylist()[:3])
