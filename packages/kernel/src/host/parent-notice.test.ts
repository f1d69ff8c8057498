import { describe, expect, test, vi } from 'vitest'
import { refuse } from '../commands.ts'
import type { AnyEvent } from '../event.ts'
import { StoreFault } from '../ports/store-fault.ts'
import { finished } from '../rules/rules.suite.ts'
import { flushPending, key, setUp } from './host.suite.ts'

const submit = (prompt = 'hello') => ({ type: 'submit', prompt }) as const

describe('[S40] a session that was started from another tells it how it stands', () => {
  const child = (name: string) =>
    ({ ...submit(), opening: { kind: 'background', parentSessionId: 's1', title: name } }) as const
  const told = (events: readonly AnyEvent[]) =>
    events.flatMap((event) =>
      event.type === 'subagent_event' ? [`${event.payload.agent_id} ${event.payload.status}`] : [],
    )

  test('three children, each once, also when the process dies before it could, or after it did', async () => {
    let fails = true
    const first = setUp({
      notifyParent: async (notice) => {
        if (fails) throw new Error('The parent cannot be asked.')
        await first.host.notifyParent(notice)
      },
    })
    await first.host.send(key(), { type: 'create' })
    for (const name of ['a', 'b', 'c']) await first.host.send(key(name), child(name))
    await flushPending()
    for (const { reporter } of first.runner.attempts) await reporter.report([finished()])
    await flushPending()
    expect(told(await first.events())).toEqual([])
    const second = await first.again({ notifyParent: undefined as never })
    fails = false
    await second.host.start()
    await second.clock.pass(10)
    expect(told(await second.events()).toSorted()).toEqual(['a completed', 'b completed', 'c completed'])
    // The process dies after the parent got the notice and before the child logged that: the notice is sent again, and logged once.
    second.log.before = ({ events }) => {
      if (events.some(({ type }) => type === 'parent_told')) throw new StoreFault('full', 'no room')
    }
    await second.host.send(key('d'), child('d'))
    await flushPending()
    expect(told(await second.events()).at(-1)).toBe('d running')
    const third = await second.again()
    await third.host.start()
    await third.clock.pass(10)
    expect(told(await third.events()).filter((each) => each === 'd running')).toHaveLength(1)
    expect((await third.events(key('d'))).some(({ type }) => type === 'parent_told')).toBe(true)
    const { lifecycle } = (await third.host.open(key())).state
    expect(lifecycle).toMatchObject({ run: null, queue: [] })
  })

  test('a notice that the parent refuses is sent again', async () => {
    const { host, clock, events } = setUp()
    await host.send(key(), { type: 'create' })
    const send = host.send.bind(host)
    let isBusy = true
    vi.spyOn(host, 'send').mockImplementation(async (to, command, id) =>
      isBusy && command.type === 'child_status' ? refuse('busy') : send(to, command, id),
    )
    await host.send(key('a'), child('a'))
    await flushPending()
    expect((await events(key('a'))).some(({ type }) => type === 'parent_told')).toBe(false)
    isBusy = false
    await clock.pass(1_000)
    expect(told(await events())).toEqual(['a running'])
    expect((await events(key('a'))).some(({ type }) => type === 'parent_told')).toBe(true)
  })

  test('a parent that is not there is nobody to tell, and an old notice changes nothing', async () => {
    const { host, events } = setUp()
    await host.send(key('a'), child('a'))
    await flushPending()
    expect((await events(key('a'))).filter(({ type }) => type === 'parent_told')).toHaveLength(1)
    await host.send(key(), { type: 'create' })
    const notice = { type: 'child_status', child: key('a'), owner: null } as const
    for (const [status, seq] of [
      ['running', 1],
      ['completed', 9],
      ['running', 1],
      ['completed', 9],
    ] as const)
      await host.send(key(), { ...notice, status, seq })
    expect(told(await events())).toEqual(['a running', 'a completed'])
    expect(await host.send(key('nobody'), { ...notice, status: 'running', seq: 1 })).toMatchObject({
      refused: 'session_not_found',
    })
  })
})
