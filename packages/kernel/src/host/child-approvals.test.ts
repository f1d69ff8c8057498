import { describe, expect, test } from 'vitest'
import type { Command, ReportItem } from '../commands.ts'
import { emptyState, evolve, statusOf } from '../projections/state.ts'
import { askItem, call, finished } from '../rules/rules.suite.ts'
import { deferred, flushPending, key, setUp } from './host.suite.ts'

type World = ReturnType<typeof setUp>

/** Starts a session; with a parent it is one of its children. */
const start = async (
  { host }: World,
  id: string,
  parentId?: string,
  more: Partial<Command & { type: 'submit' }> = {},
) => {
  const opening = { kind: 'background', ...(parentId !== undefined && { parentSessionId: parentId }) } as const
  await host.send(key(id), { type: 'submit', prompt: 'go', opening, ...more })
  await flushPending()
}
const report = async ({ runner }: World, id: string, ...items: ReportItem[]) => {
  await runner.attempts.findLast(({ job }) => job.key.id === id)?.reporter.report(items)
  await flushPending()
}
const ask = (world: World, id: string, callId = 'c1', more: Partial<ReportItem> = {}) =>
  report(world, id, call(callId), { ...askItem(callId), ...more } as ReportItem)
const db = { id: 'db', question: 'Which?', options: [{ label: 'a' }, { label: 'b' }] }
const askQuestion = (world: World, id: string, more: object = {}) =>
  ask(world, id, 'c1', { kind: 'question', questions: [db], ...more } as never)

const stateOf = async ({ host }: World, id: string) => (await host.open(key(id))).state
const ownOf = async (world: World, id: string) => Object.keys((await stateOf(world, id)).approvals.open)
/** The approvals of other sessions that a session names. */
const namedOf = async (world: World, id: string) => Object.keys((await stateOf(world, id)).childApprovals.open)
const settledOf = async (world: World, id: string) =>
  (await world.events(key(id))).flatMap((event) =>
    event.type === 'approval_applied' && event.payload.child
      ? [`${event.payload.request_id} ${event.payload.decision}`]
      : [],
  )
const answer = (world: World, id: string, approvalId: string, more: object = {}) =>
  world.host.send(key(id), { type: 'approve', approvalId, decision: 'approved', ...more })

/** A session that asks a grandchild, through a child. */
const family = async (more: Parameters<typeof setUp>[0] = {}) => {
  const world = setUp(more)
  await start(world, 'top')
  await start(world, 'child', 'top')
  await start(world, 'leaf', 'child')
  return world
}

describe('[S76] an approval is named on the sessions above the one that asks', () => {
  test('three parents with two children each, and each answer goes to its own', async () => {
    const world = setUp()
    const parents = ['p1', 'p2', 'p3']
    for (const parent of parents) await start(world, parent)
    for (const name of ['a', 'b']) for (const parent of parents) await start(world, `${parent}-${name}`, parent)
    // All children ask under the same id.
    for (const name of ['b', 'a']) for (const parent of parents) await ask(world, `${parent}-${name}`)
    const [own = ''] = await ownOf(world, 'p1-a')
    for (const parent of parents)
      expect(await namedOf(world, parent)).toEqual([`${parent}-b:${own}`, `${parent}-a:${own}`])
    for (const [parent, name] of [
      ['p3', 'a'],
      ['p1', 'b'],
      ['p2', 'a'],
    ] as const) {
      expect(await answer(world, parent, `${parent}-${name}:${own}`)).toMatchObject({
        approvalId: `${parent}-${name}:${own}`,
        decision: 'approved',
      })
      expect(await ownOf(world, `${parent}-${name}`)).toEqual([])
    }
    await flushPending()
    expect(world.runner.answers).toHaveLength(3)
    expect(await Promise.all(parents.map((parent) => namedOf(world, parent)))).toEqual([
      [`p1-a:${own}`],
      [`p2-b:${own}`],
      [`p3-b:${own}`],
    ])
  })

  test('at any depth, with what it asks, and under one id', async () => {
    const world = await family()
    await askQuestion(world, 'leaf', { default: { db: 'a' }, expiresMs: 60_000 })
    const [own = ''] = await ownOf(world, 'leaf')
    const child = { id: 'leaf', agent: 'agent', approval_id: own }
    for (const [id, via] of [
      ['child', 'leaf'],
      ['top', 'child'],
    ] as const) {
      expect((await stateOf(world, id)).childApprovals.open).toMatchObject({
        [`leaf:${own}`]: {
          ...{ kind: 'question', tool: 'write', questions: [db], default: { db: 'a' }, runId: null },
          child: { ...child, via },
        },
      })
      expect((await stateOf(world, id)).conversation.approvals).toMatchObject([
        { id: `leaf:${own}`, kind: 'question', child: { id: 'leaf', agent: 'agent', approvalId: own } },
      ])
    }
    await world.clock.pass(60_001)
    expect([await settledOf(world, 'child'), await settledOf(world, 'top')]).toEqual([
      [`leaf:${own} approved`],
      [`leaf:${own} approved`],
    ])
    const events = await world.events(key('top'))
    expect(events.reduce(evolve, emptyState)).toEqual(await stateOf(world, 'top'))
    expect(events.findLast(({ type }) => type === 'approval_applied')?.payload).toMatchObject({
      ...{ reason: 'expired', actor: null, answers: { db: 'a' } },
    })
  })

  test('and settles there with its answer, also where what it asks is large', async () => {
    const world = await family()
    await askQuestion(world, 'leaf', { questions: [{ ...db, question: 'x'.repeat(2_000) }] })
    await answer(world, 'leaf', (await ownOf(world, 'leaf'))[0] ?? '', { answers: { db: 'b' } })
    await flushPending()
    const applied = (await world.events(key('top'))).findLast(({ type }) => type === 'approval_applied')
    expect(applied?.payload).toMatchObject({ decision: 'approved', answers: { db: 'b' } })
  })

  test.each<[string, (world: World) => Promise<unknown>, string]>([
    ['expires', ({ clock }) => clock.pass(60_001), 'expired'],
    [
      'is answered where it is asked',
      async (world) => answer(world, 'leaf', (await ownOf(world, 'leaf'))[0] ?? ''),
      'approved',
    ],
    ['goes with its run', ({ host }) => host.send(key('leaf'), { type: 'cancel' }), 'cancelled'],
    ['goes with its session', ({ host }) => host.remove(key('leaf')), 'cancelled'],
    ['goes with the session between', ({ host }) => host.remove(key('child')), 'cancelled'],
  ])('and settles there when it %s', async (_name, act, decision) => {
    const world = await family()
    await ask(world, 'leaf', 'c1', { expiresMs: 60_000 } as never)
    const [named = ''] = await namedOf(world, 'top')
    await act(world)
    await flushPending()
    expect(await settledOf(world, 'top')).toEqual([`${named} ${decision}`])
    expect(await namedOf(world, 'top')).toEqual([])
    expect((await stateOf(world, 'top')).conversation.approvals).toEqual([])
  })

  test('each process finds the picture as it is: killed before the parent knows, and after', async () => {
    let isDown = true
    const world = setUp({
      notifyParent: async (notice) => {
        if (isDown) throw new Error('The parent cannot be reached.')
        await world.host.notifyParent(notice)
      },
    })
    await start(world, 'top')
    for (const id of ['a', 'b', 'c']) await start(world, id, 'top')
    for (const id of ['a', 'b', 'c']) await ask(world, id)
    expect(await namedOf(world, 'top')).toEqual([])
    const second = await world.again({ notifyParent: undefined as never })
    isDown = false
    await second.host.start()
    await second.clock.pass(10)
    const [own = ''] = await ownOf(second, 'a')
    expect((await namedOf(second, 'top')).toSorted()).toEqual([`a:${own}`, `b:${own}`, `c:${own}`])
    // The process dies again after an answer that the parent does not know.
    const third = await second.again({ notifyParent: async () => Promise.reject(new Error('down')) })
    await answer(third, 'b', own)
    expect(await namedOf(third, 'top')).toHaveLength(3)
    const fourth = await third.again({ notifyParent: undefined as never })
    await fourth.host.start()
    await fourth.clock.pass(10)
    expect((await namedOf(fourth, 'top')).toSorted()).toEqual([`a:${own}`, `c:${own}`])
    expect(await settledOf(fourth, 'top')).toEqual([`b:${own} approved`])
  })

  test('a notice that arrives late or twice changes nothing', async () => {
    const world = await family()
    const notice = { type: 'child_status', child: key('x'), owner: null, status: 'awaiting_approval' } as const
    const asked = { id: 'x', agent: 'agent', kind: 'tool', tool: 't', reason: '', expiresAt: null } as const
    const first = { ...notice, seq: 7, approvals: [{ ...asked, approvalId: 'apr-1' }] }
    await world.host.send(key('top'), first)
    await world.host.send(key('top'), { ...notice, seq: 9, approvals: [{ ...asked, approvalId: 'apr-2' }] })
    await world.host.send(key('top'), first)
    expect(await namedOf(world, 'top')).toEqual(['x:apr-2'])
    expect(await settledOf(world, 'top')).toEqual(['x:apr-1 cancelled'])
  })

  test('a parent learns of all that settles, however long the answers and reasons below it are', async () => {
    const world = await family()
    for (const callId of ['c1', 'c2', 'c3'])
      await ask(world, 'leaf', callId, { kind: 'question', questions: [db] } as never)
    const text = 'x'.repeat(300_000)
    const given = { decision: 'approved', reason: text, answers: { db: text } } as const
    for (const approvalId of await namedOf(world, 'child'))
      await world.host.send(key('child'), { type: 'child_answered', approvalId, ...given })
    await flushPending()
    expect(await namedOf(world, 'top')).toEqual([])
    expect(await settledOf(world, 'top')).toHaveLength(3)
  })

  test("a session of another user's names nothing here", async () => {
    const world = setUp()
    await start(world, 'top', undefined, { owner: 'user:ann' })
    await start(world, 'hers', 'top', { owner: 'user:ann' })
    await start(world, 'operators', 'top')
    for (const id of ['hers', 'operators']) await ask(world, id)
    expect(await namedOf(world, 'top')).toEqual([`hers:${(await ownOf(world, 'hers'))[0]}`])
  })
})

describe('[S77] the id takes the answer', () => {
  const asking = async () => {
    const world = await family()
    await askQuestion(world, 'leaf')
    const [own = ''] = await ownOf(world, 'leaf')
    return { world, own, named: `leaf:${own}` }
  }

  test('for the session that asks, and at once for whoever gave it', async () => {
    const held = deferred()
    let isSlow = false
    const world = await family({
      notifyParent: async (notice) => {
        if (isSlow) await held.promise
        await world.host.notifyParent(notice)
      },
    })
    await askQuestion(world, 'leaf')
    const [own = ''] = await ownOf(world, 'leaf')
    const named = `leaf:${own}`
    isSlow = true
    const given = { answers: { db: 'b' }, actor: 'ann', reason: 'faster' }
    const receipt = await answer(world, 'child', named, given)
    expect(receipt).toEqual({ approvalId: named, decision: 'approved', seq: (await stateOf(world, 'child')).head })
    expect(await namedOf(world, 'child')).toEqual([])
    const applied = (await world.events(key('child'))).findLast(({ type }) => type === 'approval_applied')
    expect(applied?.payload).toMatchObject({ request_id: named, ...given })
    held.release()
    await flushPending()
    expect(await namedOf(world, 'top')).toEqual([])
    expect(world.runner.answers).toMatchObject([{ requestId: own, decision: 'approved' }])
    expect((await settledOf(world, 'child')).length).toBe(1)
  })

  test('once: the same again is the same reply, and another one is refused, wherever it is given', async () => {
    const { world, own, named } = await asking()
    const given = { answers: { db: 'a' }, actor: 'ann' }
    const all = await Promise.all([
      answer(world, 'top', named, given),
      answer(world, 'child', named, { answers: { db: 'b' }, actor: 'ben' }),
      world.host.send(key('leaf'), { type: 'approve', approvalId: own, decision: 'denied' }),
    ])
    expect(all.filter((each) => 'refused' in each)).toMatchObject([
      { refused: 'approval_settled' },
      { refused: 'approval_settled' },
    ])
    await flushPending()
    const [won] = (await stateOf(world, 'leaf')).approvals.settled
    const again = { decision: won?.decision, answers: won?.answers }
    expect(await answer(world, 'top', named, again)).toMatchObject({ decision: won?.decision })
    expect(world.runner.answers).toHaveLength(1)
    expect([await settledOf(world, 'top'), await settledOf(world, 'child')].flat()).toEqual([
      `${named} ${won?.decision}`,
      `${named} ${won?.decision}`,
    ])
  })

  test('with the rules of the session that asks', async () => {
    const { world, named } = await asking()
    expect(await answer(world, 'top', named, { answers: { db: 'c' } })).toMatchObject({
      refused: 'invalid_answer',
      message: '"c" is not an option of question "db".',
    })
    expect(await answer(world, 'top', named)).toMatchObject({ refused: 'answer_missing' })
    expect(await answer(world, 'top', 'leaf:apr-99')).toMatchObject({ refused: 'approval_not_found' })
    expect(await answer(world, 'top', 'other:apr-5')).toMatchObject({ refused: 'approval_not_found' })
    expect(await namedOf(world, 'top')).toEqual([named])
    const denied = { type: 'approve', approvalId: named, decision: 'denied', reason: 'no' } as const
    expect(await world.host.send(key('top'), denied, { commandId: 'c', bodyHash: 'h' })).toMatchObject({
      decision: 'denied',
    })
    expect(await world.host.send(key('top'), denied, { commandId: 'c', bodyHash: 'h' })).toMatchObject({
      decision: 'denied',
    })
    await flushPending()
    expect(await settledOf(world, 'top')).toEqual([`${named} denied`])
  })

  test('an answer never reaches a session of another user, or one that is gone', async () => {
    const { world, named } = await asking()
    const notice = { type: 'child_status', child: key('child'), owner: null, status: 'running', seq: 999 } as const
    const forged = { agent: 'agent', kind: 'tool', tool: 't', reason: '', expiresAt: null } as const
    await start(world, 'his', undefined, { owner: 'user:ben' })
    await ask(world, 'his')
    const [his = ''] = await ownOf(world, 'his')
    const approvals = [
      { ...forged, id: 'his', approvalId: his },
      { ...forged, id: 'gone', approvalId: 'apr-1' },
    ]
    await world.host.send(key('top'), { ...notice, approvals })
    expect(await namedOf(world, 'top')).toEqual([`his:${his}`, 'gone:apr-1'])
    for (const id of await namedOf(world, 'top'))
      expect(await answer(world, 'top', id)).toMatchObject({ refused: 'approval_not_found' })
    expect(await ownOf(world, 'his')).toEqual([his])
    expect(await answer(world, 'child', named, { answers: { db: 'a' } })).toMatchObject({ decision: 'approved' })
  })
})

describe('[S80] a session whose child asks is not waiting itself', () => {
  test('it is running, a prompt is a prompt, and nothing of it expires; its row counts the approvals', async () => {
    const world = setUp()
    await world.host.send(key('top'), { type: 'submit', prompt: 'go' })
    await start(world, 'child', 'top')
    await askQuestion(world, 'child', { questions: [{ id: 'q', question: 'Which?', allow_free_text: true }] })
    const before = await stateOf(world, 'top')
    expect(statusOf(before)).toBe('running')
    expect(before.health.evidence).not.toHaveProperty('waiting')
    expect(await world.host.send(key('top'), { type: 'steer', prompt: 'red' })).not.toHaveProperty('approvalId')
    const rows = async () =>
      (await world.directory.list('acme', {})).sessions.map(({ key: { id }, row }) => [
        id,
        row.detail.childApprovals,
        row.approvals.map(({ parentSessionId }) => parentSessionId),
      ])
    expect((await rows()).toSorted()).toEqual([
      ['child', 0, ['top']],
      ['top', 1, []],
    ])
    expect((await world.directory.approvals('acme', {})).approvals.map((each) => each.key.id)).toEqual(['child'])
    await report(world, 'top', finished())
    // The end of its run takes no question of another session with it.
    expect(await namedOf(world, 'top')).toHaveLength(1)
    expect((await stateOf(world, 'top')).conversation.approvals).toHaveLength(1)
  })
})

test('[S81] what does not fit into a notice is cut, and says so', async () => {
  const world = await family()
  const args = { text: 'x'.repeat(20_000) }
  await ask(world, 'leaf', 'c1', { arguments: args, reason: 'r'.repeat(600) } as never)
  const [named] = Object.values((await stateOf(world, 'top')).childApprovals.open)
  expect(named).toMatchObject({ arguments: {}, child: { cut: true } })
  expect(named?.reason).toHaveLength(500)
})

test('[S81] a question counts once, though its arguments repeat it', async () => {
  const world = await family()
  const questions = [{ ...db, question: 'x'.repeat(9_000) }]
  await askQuestion(world, 'leaf', { questions, arguments: { questions } })
  const [named] = Object.values((await stateOf(world, 'top')).childApprovals.open)
  expect(named).toMatchObject({ arguments: {}, questions })
  expect(named?.child).not.toHaveProperty('cut')
})

test('[S81] a session names at most a hundred, and more as those are answered', async () => {
  const world = setUp()
  await start(world, 'top')
  for (const id of ['a', 'b']) await start(world, id, 'top')
  for (const id of ['a', 'b'])
    await report(
      world,
      id,
      ...Array.from({ length: 60 }, (_, index) => [call(`c${index}`), askItem(`c${index}`)]).flat(),
    )
  const named = await namedOf(world, 'top')
  expect(named).toHaveLength(100)
  await answer(world, 'top', named[0] ?? '')
  await answer(world, 'top', named.at(-1) ?? '')
  await flushPending()
  expect(await namedOf(world, 'top')).toHaveLength(100)
})

test('[S81] an approval that a full list lacks stays open, and one of another child is named by its next notice', async () => {
  const world = await family()
  const many = Array.from({ length: 100 }, (_, index) => [call(`c${index}`), askItem(`c${index}`)]).flat()
  await report(world, 'leaf', ...many)
  const named = await namedOf(world, 'top')
  // At the same time as the others, so that its own comes first in the child's list.
  await ask(world, 'child')
  expect(await namedOf(world, 'top')).toEqual(named)
  expect(await settledOf(world, 'top')).toEqual([])
  await start(world, 'second', 'top')
  await ask(world, 'second')
  const [first = '', next = '', last = ''] = [...named.slice(0, 2), ...named.slice(-1)]
  for (const id of [first, last]) await answer(world, 'top', id)
  await flushPending()
  const own = `child:${(await ownOf(world, 'child'))[0]}`
  expect(await namedOf(world, 'top')).toEqual([...named.slice(1, -1), own])
  expect(await settledOf(world, 'top')).toEqual([`${first} approved`, `${last} approved`])
  await ask(world, 'second', 'c2')
  expect((await namedOf(world, 'top')).at(-1)).toMatch(/^second:/)
  await answer(world, 'leaf', next.replace('leaf:', ''), { decision: 'denied' })
  await flushPending()
  expect((await settledOf(world, 'top')).at(-1)).toBe(`${next} denied`)
})

test('[S82] a branch and an import have no approval of a session below', async () => {
  const world = await family()
  await askQuestion(world, 'leaf')
  const [named = ''] = await namedOf(world, 'top')
  const { head } = await stateOf(world, 'top')
  expect(await world.host.branch(key('top'), head, 'branch')).toMatchObject({ sessionId: 'branch' })
  expect(await namedOf(world, 'branch')).toEqual([])
  expect((await stateOf(world, 'branch')).conversation.approvals).toEqual([])
  expect(await settledOf(world, 'branch')).toEqual([`${named} cancelled`])
  expect(await answer(world, 'branch', named, { answers: { db: 'a' } })).toMatchObject({
    refused: 'approval_not_found',
  })
  expect(await namedOf(world, 'top')).toEqual([named])
  expect(await answer(world, 'top', named, { answers: { db: 'a' } })).toMatchObject({ decision: 'approved' })
})

test('[S82] a branch of a session that asks has no question; the question stays where it was asked', async () => {
  const world = setUp()
  await start(world, 'asks')
  await askQuestion(world, 'asks')
  const [own = ''] = await ownOf(world, 'asks')
  const { head } = await stateOf(world, 'asks')
  await world.host.branch(key('asks'), head, 'branch')
  expect([await ownOf(world, 'branch'), await ownOf(world, 'asks')]).toEqual([[], [own]])
  expect(await answer(world, 'branch', own, { answers: { db: 'a' } })).toMatchObject({ refused: 'approval_not_found' })
  expect(await answer(world, 'asks', own, { answers: { db: 'a' } })).toMatchObject({ decision: 'approved' })
})
