/** Rows that stand for what is loading. They do not move. */
export const Skeleton = ({ rows = 6 }: { readonly rows?: number }) => (
  <div className="skeleton" role="status" aria-label="Loading">
    {Array.from({ length: rows }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the rows are alike
      <i key={row} />
    ))}
  </div>
)
