// Triages an issue: looks for others like it, decides how bad it is, and closes a duplicate once a person has approved.
import { agent, tool } from 'bridle'
import * as v from 'valibot'
import { closeIssue, searchIssues } from '../issues.ts'
import { model } from '../model.ts'

const issue = v.object({
  number: v.pipe(v.number(), v.integer(), v.minValue(1)),
  title: v.pipe(v.string(), v.minLength(1)),
  body: v.optional(v.string(), ''),
})

const report = v.object({
  severity: v.picklist(['low', 'medium', 'high']),
  duplicateOf: v.nullable(v.number()),
  closed: v.boolean(),
})

export default agent({
  name: 'triage',
  description: 'Triages an issue, and closes duplicates with your approval.',
  input: issue,
  output: report,
  triggers: { webhook: true },
  model,
  instructions: `You triage issues of a program.
Search for issues with the same title first. If another number comes back, the issue is a duplicate: say so, and close it.
If a person does not want it closed, leave it open.
Crashes, lost data and security are high. What is slow or wrong is medium. The rest is low.`,
  tools: [
    tool({
      name: 'search_issues',
      description: 'Finds open issues with this title. Answers their numbers.',
      input: v.object({ title: v.string() }),
      effect: 'pure',
      run: ({ title }) => searchIssues(title),
    }),
    tool({
      name: 'close_issue',
      description: 'Closes an issue with a comment. A person is asked first, and may change the comment.',
      input: v.object({ number: v.number(), comment: v.string() }),
      effect: 'idempotent',
      approve: ({ number, comment }) => ({ reason: `Close #${number}? ${comment}`, expiresMs: 86_400_000 }),
      run: (closing, { stepKey }) => closeIssue(closing, stepKey),
    }),
  ],
})
