// The promises that a fault must not break, and the tally of checks. Each promise has a number, which heads a column of the
// table.

export const promises = {
  1: 'Nothing that was acknowledged or shown is lost or unsaid.',
  2: 'Every wire shows the same story: the text that each client folded is the text of the HTTP detail.',
  3: 'A cursor resumes without a gap, a repetition or a changed frame.',
  4: 'A deposed server changes nothing.',
  5: 'Each run ends exactly once.',
  6: 'A command that is sent again with its key has one effect and one answer.',
  7: 'An approval survives with its id and is answered once.',
  8: 'No session is forgotten: each comes to an end, and takes a second turn.',
  9: 'A full disk or a failed sync acknowledges nothing that is not kept.',
  10: 'A durable run goes on: its answer is that of a run that no fault met, and nothing unsafe is done twice unasked.',
  11: 'Uploads, shells and lists survive, too: a run reads the whole file, a shell that repeats its request gets the same answer, and a reader of `/changes` has the rows of the list.',
  ready: '`/ready` says no while the server cannot take work.',
} as const
export type PromiseId = `${keyof typeof promises}`

export const promiseIds = Object.keys(promises) as PromiseId[]

export interface BrokenPromise {
  readonly promise: PromiseId
  readonly text: string
}

/** Counts the checks, and keeps the failures. */
export class PromiseTally {
  readonly checkCounts = new Map<PromiseId, number>()
  readonly broken: BrokenPromise[] = []
  /** Steps that the harness could not play, and waits that timed out. They leave the promises undecided. */
  readonly harnessErrors: string[] = []

  check(promise: PromiseId, isKept: boolean, text: () => string): void {
    this.checkCounts.set(promise, (this.checkCounts.get(promise) ?? 0) + 1)
    if (!isKept) this.broken.push({ promise, text: text().slice(0, TEXT_MAX) })
  }

  giveUp(text: string): void {
    this.harnessErrors.push(text.slice(0, TEXT_MAX))
  }

  checkEqual(promise: PromiseId, actual: unknown, expected: unknown, what: string): void {
    const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)]
    this.check(promise, is === should, () => `${what}: ${excerpt(is, should)} instead of ${excerpt(should, is)}`)
  }
}

/** A text that is short enough for a report; the whole logs are in the folder that stays. */
const TEXT_MAX = 1_500
const EXCERPT = 300

/** The part around the first difference. */
const excerpt = (text = 'nothing', other = ''): string => {
  let at = 0
  while (at < text.length && text[at] === other[at]) at++
  const from = Math.max(0, at - EXCERPT / 3)
  return `${from > 0 ? '…' : ''}${text.slice(from, from + EXCERPT)}${from + EXCERPT < text.length ? '…' : ''}`
}
