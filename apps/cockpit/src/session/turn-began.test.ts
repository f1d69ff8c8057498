import { expect, test } from 'vitest'
import { turnBegan } from './turn-began.ts'

const created = '2026-11-16T10:00:00.000Z'
const at = (seconds: number): number => Date.parse(created) + seconds * 1_000
const prompt = (createdAt: number) => ({ role: 'user' as const, createdAt })
const answer = { role: 'assistant' as const }

test.each([
  ['a chat without a prompt', 'chat', false, [], undefined],
  ['a chat, from its last prompt on', 'chat', false, [prompt(at(5)), answer, prompt(at(60)), answer], at(60)],
  ['an imported chat, whose prompts are older than it', 'chat', false, [prompt(at(-60)), answer], at(-60)],
  ['background work, from its start on', 'background', false, [prompt(at(0)), answer, prompt(at(60))], at(0)],
  ['a branch with the prompts of its parent alone', 'chat', true, [prompt(at(-1_620)), answer], undefined],
  ['a branch that was given a prompt', 'chat', true, [prompt(at(-1_620)), answer, prompt(at(0))], at(0)],
  ['a branch of background work that waits', 'background', true, [prompt(at(-1_620)), answer], undefined],
  ['a branch of background work', 'background', true, [prompt(at(-1_620)), answer, prompt(at(0)), answer], at(0)],
] as const)('%s', (_name, kind, isBranch, messages, began) => {
  const detail = { kind, createdAt: created, branch_source_event_id: isBranch ? 'ev-5' : null }
  expect(turnBegan(detail, messages)).toBe(began)
})
