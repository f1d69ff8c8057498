// Approvals of sub-agents, as both kinds of lines announce them.
import { call, TestSession } from '@bridle/kernel/rules/rules.suite'
import type { Session } from '@bridle/kernel/session/session'
import type { Listener } from '@bridle/kernel/session/subscribers'
import { expect, test } from 'vitest'
import { AnswerReader } from '../cascade/speaking/answer-reader.ts'
import { type LineNotice, watchApprovals } from '../realtime/approval-watch.ts'
import { lineNotice } from '../realtime/notice.ts'

const question = { kind: 'question', tool: 'ask', questions: [{ id: 'q', question: 'Secret?', allow_free_text: true }] }
const QUESTION = 'My sub-agent has a question. It waits in the inbox.'
const APPROVAL = 'My sub-agent needs an approval. It waits in the inbox.'

/** A spoken run whose call waits for a child that asks. */
const asking = (...asked: readonly object[]) => {
  const life = new TestSession()
  life.do({ type: 'submit', prompt: 'go', spoken: true })
  const task = { toolCallId: 'c1', agent: 'clerk', id: 'child' }
  life.report({ type: 'started', durable: true }, call('c1'), { type: 'delegate', children: [task], shares: 1 })
  const approvals = asked.map((each, index) => ({
    ...{ id: 'child', agent: 'clerk', approvalId: `apr-${index}`, reason: '', expiresAt: null },
    ...each,
  }))
  const key = { tenant: 't', agent: 'clerk', id: 'child' }
  life.do({ type: 'child_status', child: key, owner: null, status: 'running', seq: 9, approvals } as never)
  return life
}

test('[V114] both lines say where the approvals of a sub-agent wait, and do not read them', () => {
  const life = asking(question, { kind: 'tool', tool: 'send', arguments: { to: 'Secret' } })
  const { runId } = life.run
  const reader = new AnswerReader(runId)
  const spoken = [...reader.read(life.state), ...reader.read(life.state)]
  expect(spoken.map(({ words }) => words).join(' ')).toBe(`${QUESTION} ${APPROVAL}`)

  let listener: Listener | undefined
  const subscribers = { add: (each: Listener) => (listener = each), remove: () => {} }
  const notices: LineNotice[] = []
  watchApprovals({ state: life.state, subscribers } as unknown as Session, (notice) => notices.push(notice))
  listener?.send(listener.audience.encode({ events: life.log } as never) as string, 0)
  expect(notices).toEqual([{ inbox: QUESTION }, { inbox: APPROVAL }])
  expect(notices.map((notice) => lineNotice(notice).instructions)).toEqual(
    [QUESTION, APPROVAL].map((words) => expect.stringContaining(words)),
  )
})
