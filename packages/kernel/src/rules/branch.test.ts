import { describe, expect, test } from 'vitest'
import { branchRefusal, branchRequestRefusal } from './branch.ts'
import { running, TestSession } from './rules.suite.ts'

const source = { id: 'p1', head: 5 }
const point = { agent: 'scripted', id: 'p1', seq: 3 }
const branch = { type: 'branch', parent: point } as const
const submit = { type: 'submit', prompt: 'x' } as const

describe('[S22] a branch is refused before it is opened', () => {
  test.each([
    ['of no session', null, 1, 'c', 'session_not_found'],
    ['before the first event', source, 0, 'c', 'bad_branch_point'],
    ['between two events', source, 1.5, 'c', 'bad_branch_point'],
    ['after the last event', source, 6, 'c', 'bad_branch_point'],
    ['into its parent', source, 3, 'p1', 'session_exists'],
    ['at the first event', source, 1, 'c', null],
    ['at the last event', source, 5, 'c', null],
  ] as const)('%s', (_name, from, seq, childId, code) => {
    expect(branchRequestRefusal(from, seq, childId)?.refused ?? null).toBe(code)
  })
})

describe('[S22] until a branch has an event of its own it takes one command', () => {
  const blank = new TestSession().state
  const parents = running().state
  test.each([
    ['the branch at its point', parents, branch, point, null],
    ['a branch at another event', parents, { ...branch, parent: { ...point, seq: 4 } }, point, 'session_exists'],
    ['a branch of another session', parents, { ...branch, parent: { ...point, id: 'p2' } }, point, 'session_exists'],
    ['a branch of another agent', parents, { ...branch, parent: { ...point, agent: 'x' } }, point, 'session_exists'],
    ['a prompt', parents, submit, point, 'session_not_found'],
    ['a tick', parents, { type: 'tick' }, point, 'session_not_found'],
    ['a branch of a session that is there', parents, branch, null, 'session_exists'],
    ['a branch of a session that is not', blank, branch, null, 'bad_branch_point'],
    ['a prompt to a session that is no branch', blank, submit, null, null],
  ] as const)('%s', (_name, state, command, branchPoint, code) => {
    expect(branchRefusal(state, command, branchPoint)?.refused ?? null).toBe(code)
  })
})
