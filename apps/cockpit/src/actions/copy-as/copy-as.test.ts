import { expect, test } from 'vitest'
import { commandCopies, curlCopies } from './session-copies.ts'

const server = { serverUrl: 'http://127.0.0.1:4317/', hasToken: true, tenantId: 'acme' }
const approvals = [{ id: 'apr-9', kind: 'tool', toolName: 'edit_file', reason: '' }]

test('[C67] a line for a shell has the token of the shell, never that of the page', () => {
  const lines = curlCopies({ id: 'bg-1', agent: 'refactor' }, approvals, server)
  expect(lines.find(({ words }) => words === 'Pause')?.text).toBe(
    [
      "curl -X POST 'http://127.0.0.1:4317/sessions/bg-1/pause?agent=refactor'",
      '-H "Authorization: Bearer $BRIDLE_TOKEN"',
      "-H 'x-fabric-tenant: acme'",
      "-H 'content-type: application/json'",
      "-d '{}'",
    ].join(' \\\n  '),
  )
  expect(lines.find(({ words }) => words === 'Branch')?.text).toContain('/chat/sessions/bg-1/branch?agent=refactor')
  expect(lines.find(({ words }) => words === 'Approve')?.text).toContain('/sessions/bg-1/approvals/apr-9/approve?')
})

test('[C425] a question is answered with a body to change, and declined', () => {
  const questions = [
    { id: 'db', question: 'Which?', options: [{ label: 'SQLite' }, { label: 'PostgreSQL' }] },
    { id: 'checks', question: 'Which?', options: [{ label: 'lint' }], multi_select: true },
    { id: 'why', question: 'Why?', allow_free_text: true },
  ]
  const asked = { id: 'apr-9', kind: 'question', toolName: 'ask', reason: 'Which?' }
  const bodies = [{ questions }, { schema: {}, default: { replicas: 3 } }].map((more) => {
    const [answer, decline] = curlCopies({ id: 'bg-1', agent: 'refactor' }, [{ ...asked, ...more }], server).slice(-2)
    expect([answer?.words, decline?.words]).toEqual(['Answer', 'Decline'])
    expect(answer?.text).toContain('/approvals/apr-9/answer?')
    return JSON.parse(/-d '(.*)'/.exec(answer?.text ?? '')?.[1] ?? '')
  })
  expect(bodies).toEqual([{ answers: { db: 'SQLite', checks: ['lint'], why: '' } }, { values: { replicas: 3 } }])
})

test('[C67] as commands of bridle, where it has a verb', () => {
  const lines = commandCopies({ id: 'bg-1', agent: 'refactor' }, approvals, server)
  expect(lines.map(({ text }) => text)).toEqual([
    'bridle attach --agent=refactor --url=http://127.0.0.1:4317 --tenant=acme bg-1',
    'bridle export --agent=refactor --url=http://127.0.0.1:4317 --tenant=acme bg-1',
    'bridle approve --agent=refactor --url=http://127.0.0.1:4317 --tenant=acme bg-1 apr-9',
    'bridle reject --agent=refactor --url=http://127.0.0.1:4317 --tenant=acme bg-1 apr-9',
  ])
})
