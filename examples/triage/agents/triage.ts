// Triages an issue: looks for others like it, decides how bad it is, and closes duplicates once a person agrees.
import { agent, ToolDenied } from 'bridle'
import * as v from 'valibot'

const severities = ['low', 'medium', 'high'] as const

const issue = v.object({
  number: v.pipe(v.number(), v.integer(), v.minValue(1)),
  title: v.pipe(v.string(), v.minLength(1)),
  body: v.optional(v.string(), ''),
})

const report = v.object({
  severity: v.picklist(severities),
  duplicateOf: v.nullable(v.number()),
  closed: v.boolean(),
})

const closing = v.object({ number: v.number(), comment: v.string() })

export default agent({
  name: 'triage',
  description: 'Triages an issue and closes duplicates, with your word.',
  input: issue,
  output: report,
  triggers: { webhook: true },
  run: async ({ input, session }) => {
    const similar = await session.tool('search_issues', { title: input.title }, ({ title }) => searchIssues(title), {
      effect: 'pure',
      timeoutMs: 10_000,
    })
    const duplicateOf = similar.find((number) => number !== input.number) ?? null
    const severity = severityOf(`${input.title} ${input.body}`)
    await session.text(`Severity: ${severity}. `)
    if (duplicateOf === null) return { severity, duplicateOf, closed: false }

    await session.text(`It looks like #${duplicateOf}. `)
    try {
      await session.tool(
        'close_issue',
        { number: input.number, comment: `Duplicate of #${duplicateOf}.` },
        (args, { stepKey }) => closeIssue(args, stepKey),
        {
          effect: 'idempotent',
          input: closing,
          approve: { reason: `Close #${input.number} as a duplicate of #${duplicateOf}?`, expiresMs: 86_400_000 },
        },
      )
    } catch (error) {
      if (!(error instanceof ToolDenied)) throw error
      await session.text('Left open, as you wish.')
      return { severity, duplicateOf, closed: false }
    }
    await session.text('Closed.')
    return { severity, duplicateOf, closed: true }
  },
})

const severityOf = (text: string): (typeof severities)[number] => {
  if (/crash|data loss|security/i.test(text)) return 'high'
  return /slow|wrong|error/i.test(text) ? 'medium' : 'low'
}

// In earnest these two would ask your issue tracker.
const known: readonly { number: number; title: string }[] = [
  { number: 7, title: 'Crash on empty input' },
  { number: 12, title: 'Slow start on Windows' },
]

const searchIssues = (title: string): number[] =>
  known.filter((each) => each.title.toLowerCase() === title.toLowerCase()).map(({ number }) => number)

// The step key is the same if the run is tried again: a tracker that takes idempotency keys comments once.
const closeIssue = async ({ number, comment }: { number: number; comment: string }, stepKey: string) => ({
  number,
  comment,
  idempotencyKey: stepKey,
})
