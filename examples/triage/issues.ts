// A list of issues in place of your tracker.
const open: readonly { readonly number: number; readonly title: string }[] = [
  { number: 7, title: 'Crash on empty input' },
  { number: 12, title: 'Slow start on Windows' },
]

export const searchIssues = (title: string): number[] =>
  open.filter((each) => each.title.toLowerCase() === title.toLowerCase()).map(({ number }) => number)

/** The step key is the same if the call is made again after a crash: a tracker that takes idempotency keys comments once. */
export const closeIssue = (closing: { readonly number: number; readonly comment: string }, stepKey: string) => ({
  ...closing,
  idempotencyKey: stepKey,
})
