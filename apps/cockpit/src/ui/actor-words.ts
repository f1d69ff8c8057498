// Words about the people who act.

/** Marks a name that the caller supplied without a credential for it. */
export const CLAIMED = '(not signed in)'

/** The person who answered an approval; null = nobody, or not named. */
export const deciderText = ({ decidedBy, decidedByClaimed }: Decider): string | null =>
  decidedBy !== null && decidedByClaimed ? `${decidedBy} ${CLAIMED}` : decidedBy

interface Decider {
  readonly decidedBy: string | null
  readonly decidedByClaimed?: true | undefined
}
