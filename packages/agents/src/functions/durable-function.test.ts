// Durable functions in processes that come and go: three sessions of two agents, interleaved, with several turns.

import { ARTIFACTS_MAX } from '@bridle/events/limits'
import { flushPending } from '@bridle/kernel/host/host.suite'
import { describe, expect, test } from 'vitest'
import { agent } from '../agent.ts'
import { type AgentFunction, background, DurableProcess, defineAgents, keyOf } from './durable-world.suite.ts'

const [one, two, three] = [keyOf('shop', 's1'), keyOf('shop', 's2'), keyOf('poet', 's3')]

/** Pays, and then waits for a person. */
const shop: AgentFunction = async ({ input, session }, process) => {
  const { prompt } = input
  await session.text(`For ${prompt}: `)
  const receipt = await session.tool('pay', { who: String(prompt) }, ({ who }) =>
    process.act(`pay ${session.id} ${who}`, `receipt ${who}`),
  )
  const file = await session.tool(
    'ship',
    { to: String(prompt) },
    ({ to }) => process.act(`ship ${to}`, `sent to ${to}`),
    {
      approve: { reason: 'It leaves the house.' },
    },
  )
  await session.text(`${receipt}, ${file}`)
}
const poet: AgentFunction = async ({ input, session }, process) => {
  const line = await session.step('line', () => process.act(`line ${input.prompt}`, `A line on ${input.prompt}`))
  const { approved } = await session.approval({ subject: 'publish', reason: 'The world will read it.' })
  await session.text(`${line}${approved ? '!' : '?'}`)
}
const world = defineAgents({ shop, poet })

describe('a run whose process is gone', () => {
  test('[N14] [N50] a settled call is not made again, and an approval keeps its id, in a chat and in the background', async () => {
    let process = new DurableProcess(world)
    await process.submit(one, 'Ada')
    await process.submit(two, 'Ben', background)
    await process.submit(three, 'rain')
    const ids = await Promise.all([one, two, three].map((key) => process.approval(key)))
    for (let restart = 0; restart < 7; restart++) {
      process = await process.next()
      if (restart % 2 === 0) await process.clock.pass(2_000)
      expect(await Promise.all([one, two, three].map((key) => process.openApprovals(key)))).toEqual(
        ids.map((id) => [id]),
      )
    }
    for (const key of [three, one, two]) {
      await process.approve(key)
      await process.idle(key)
    }
    await process.submit(one, 'Cyd')
    await process.submit(three, 'snow')
    process = await process.next()
    await process.approve(one, 'approved', { to: 'Dee' })
    await process.approve(three, 'denied')
    await process.idle(one)
    await process.idle(three)
    expect(await process.results(one)).toEqual([
      'For Ada: receipt Ada, sent to Ada',
      'For Cyd: receipt Cyd, sent to Dee',
    ])
    expect(await process.results(two)).toEqual(['For Ben: receipt Ben, sent to Ben'])
    expect(await process.results(three)).toEqual(['A line on rain!', 'A line on snow?'])
    expect(process.ledger.entries.toSorted()).toEqual(
      [
        ...['pay s1 Ada', 'pay s2 Ben', 'pay s1 Cyd', 'ship Ada', 'ship Ben', 'ship Dee'],
        ...['line rain', 'line snow'],
      ].toSorted(),
    )
    expect((await process.host.open(two)).state.lifecycle.attempts).toBe(1)
  })

  test('[N50] nor after a pause, a resume and a granted budget', async () => {
    const process = new DurableProcess(
      defineAgents({
        shop: async ({ session }, process) => {
          for (const n of [1, 2, 3]) {
            await session.tool('pay', { n }, () => process.act(`pay ${session.id} ${n}`, n))
            await session.usage({ totalTokens: 60 })
          }
          await session.approval({ subject: 'end', reason: 'Enough?' })
          return 'paid'
        },
        poet,
      }),
    )
    await process.submit(one, 'x', { ...background, policy: { health: { max_total_tokens: 100 } } })
    await process.submit(two, 'x')
    await process.submit(three, 'x')
    await process.approval(two)
    await process.send(two, { type: 'pause' })
    await process.clock.pass(3_000)
    await process.send(two, { type: 'resume' })
    for (let grants = 0; (await process.host.open(one)).state.approvals.open !== undefined && grants < 5; grants++) {
      await process.clock.pass(1_000)
      const [approval] = Object.values((await process.host.open(one)).state.approvals.open)
      if (approval?.kind !== 'budget') break
      await process.send(one, { type: 'approve', approvalId: approval.id, decision: 'approved' })
    }
    for (const key of [one, two, three]) {
      await process.approve(key)
      await process.idle(key)
    }
    expect(await process.results(one)).toEqual(['paid'])
    expect(await process.results(two)).toEqual(['paid'])
    expect(process.ledger.entries.filter((entry) => entry.startsWith('pay')).toSorted()).toEqual(
      ['s1', 's2'].flatMap((id) => [1, 2, 3].map((n) => `pay ${id} ${n}`)),
    )
    // A call and a usage are in the log once, however often the function began.
    expect(await process.payloads(two, 'usage')).toHaveLength(3)
    expect((await process.payloads(one, 'tool_call')).map(({ tool_call_id }) => tool_call_id)).toEqual([
      ...['pay', 'pay#2', 'pay#3', 'approval:end'],
    ])
  })

  test('[N50] two calls that change places get their own receipts; one with other arguments is made', async () => {
    const paying =
      (sums: readonly number[]): AgentFunction =>
      async ({ session }, process) => {
        const receipts = []
        for (const sum of sums)
          receipts.push(await session.tool('pay', { sum }, () => process.act(`pay ${sum}`, `receipt ${sum}`)))
        await session.approval({ subject: 'end', reason: 'Enough?' })
        return receipts
      }
    let process = new DurableProcess(defineAgents({ shop: paying([1, 2, 2]), poet }))
    await process.submit(one, 'x')
    await process.approval(one)
    process = await process.next({ agents: defineAgents({ shop: paying([2, 3, 1, 2, 2]), poet }) })
    await process.approve(one)
    await process.idle(one)
    expect(await process.results(one)).toEqual([['receipt 2', 'receipt 3', 'receipt 1', 'receipt 2', 'receipt 2']])
    expect(process.ledger.entries).toEqual(['pay 1', 'pay 2', 'pay 2', 'pay 3', 'pay 2'])
    expect((await process.payloads(one, 'tool_call')).map(({ tool_call_id }) => tool_call_id)).toEqual([
      ...['pay', 'pay#2', 'pay#3', 'approval:end', 'pay#4', 'pay#5'],
    ])
  })

  test.each([
    ['pure', 2],
    ['idempotent', 2],
  ] as const)('[N51] a call under way that is %s is made again with the same step key', async (effect, times) => {
    const keys: string[] = []
    let isFirst = true
    const calling: AgentFunction = ({ session }, process) =>
      session.tool(
        'read',
        { n: 1 },
        async (_args, { stepKey }) => {
          keys.push(stepKey)
          await process.act('read', 0)
          if (!isFirst) return 'done'
          isFirst = false
          return new Promise(() => {})
        },
        { effect },
      )
    let process = new DurableProcess(defineAgents({ shop: calling, poet }))
    await process.submit(one, 'x')
    await process.until(() => keys.length === 1)
    process = await process.next()
    await process.idle(one)
    expect(await process.results(one)).toEqual(['done'])
    expect(process.ledger.count('read')).toBe(times)
    expect(new Set(keys).size).toBe(1)
    expect(await process.payloads(one, 'tool_outcome')).toHaveLength(1)
  })

  test.each([
    ['approved', ['pay', 'pay'], 'paid'],
    ['denied', ['pay'], 'outcome_unknown'],
  ] as const)('[N51] a person is asked about an unsafe call under way: %s', async (decision, entries, result) => {
    const calling: AgentFunction = async ({ session }, process) => {
      try {
        return await session.tool('pay', { n: 1 }, async () => {
          await process.act('pay', 0)
          return process.ledger.entries.length > 1 ? 'paid' : new Promise<string>(() => {})
        })
      } catch (error) {
        const { code } = error as { code: string }
        await session.approval({ subject: 'anyway', reason: 'Go on?' })
        return code
      }
    }
    let process = new DurableProcess(defineAgents({ shop: calling, poet }))
    await process.submit(one, 'x')
    await process.submit(two, 'x', background)
    await process.until(() => process.ledger.entries.length === 2)
    process.ledger.entries.splice(1)
    process = await process.next()
    const asked = await process.approval(one)
    const session = await process.host.open(one)
    expect(Object.values(session.state.approvals.open)).toMatchObject([{ kind: 'unknown_outcome', tool: 'pay' }])
    process = await process.next()
    expect(await process.openApprovals(one)).toEqual([asked])
    const changed = { type: 'approve', approvalId: asked, decision: 'approved', args: { other: true } } as const
    expect(await process.host.send(one, changed)).toMatchObject({ refused: 'arguments_fixed' })
    await process.approve(one, decision)
    // The same answer twice is the same reply.
    await process.send(one, { type: 'approve', approvalId: asked, decision })
    if (decision === 'denied') {
      // The outcome is in the log: the next process gets it from there.
      await process.approval(one)
      process = await process.next()
      await process.approve(one)
    }
    await process.idle(one)
    expect(await process.results(one)).toEqual([result])
    expect(process.ledger.entries).toEqual(entries)
  })
})

describe('the conversation', () => {
  const remembering: AgentFunction = async ({ session }) => {
    const messages = await session.messages()
    return messages.map(({ role, content }) => `${role}: ${content}`).join('\n')
  }

  test('[N53] a second turn and a branch know what was said', async () => {
    const process = new DurableProcess(defineAgents({ shop: remembering, poet }))
    await process.submit(one, 'My name is Ada.')
    await process.idle(one)
    const { head } = (await process.host.open(one)).state
    await process.submit(one, 'What is my name?')
    await process.idle(one)
    await process.host.branch(one, head, 's4', { prompt: 'And here?' })
    const branch = keyOf('shop', 's4')
    await process.idle(branch)
    expect(await process.results(one)).toEqual([
      'user: My name is Ada.',
      'user: My name is Ada.\nassistant: user: My name is Ada.\nuser: What is my name?',
    ])
    expect((await process.results(branch)).at(-1)).toBe(
      'user: My name is Ada.\nassistant: user: My name is Ada.\nuser: And here?',
    )
  })

  test('[N53] with durable: false too', async () => {
    const process = new DurableProcess(() => [
      agent({ name: 'shop', durable: false, run: async ({ session }) => (await session.messages()).length }),
    ])
    await process.submit(one, 'first')
    await process.idle(one)
    await process.submit(one, 'second')
    await process.idle(one)
    expect(await process.results(one)).toEqual([1, 3])
  })
})

describe('a branch in the middle of a turn', () => {
  test('[N50] [N52] [N53] goes on with the turn: settled calls stay settled, calls under way are made again', async () => {
    const seen: number[] = []
    let isStuck = true
    const run: AgentFunction = async ({ session }, process) => {
      seen.push((await session.messages()).length)
      await session.text('One. ')
      const paid = await session.tool('pay', { n: 1 }, () => process.act('pay', 'paid'))
      await session.memory.set('count', ((await session.memory.get<number>('count')) ?? 0) + 1)
      await session.text(`${paid}. `)
      const sent = await session.tool('send', { n: 2 }, () => {
        const sending = process.act('send', 'sent')
        return isStuck ? new Promise<string>(() => {}) : sending
      })
      await session.text(`${sent} ${await session.memory.get('count')}.`)
    }
    const process = new DurableProcess(defineAgents({ shop: run, poet }))
    await process.submit(one, 'x')
    await process.until(() => process.ledger.count('send') === 1)
    isStuck = false
    const { head } = (await process.host.open(one)).state
    await process.host.branch(one, head, 's4', { prompt: null })
    await process.host.branch(one, head, 's5', { prompt: null })
    for (const branch of [keyOf('shop', 's5'), keyOf('shop', 's4')]) {
      await process.idle(branch)
      const { messages } = (await process.host.open(branch)).state.conversation
      expect(
        messages
          .filter(({ role }) => role === 'assistant')
          .map(({ content }) => content)
          .join(''),
      ).toBe('One. paid. sent 1.')
    }
    expect(process.ledger.entries).toEqual(['pay', 'send', 'send', 'send'])
    expect(new Set(seen)).toEqual(new Set([1]))
    await process.send(one, { type: 'cancel' })
    await process.idle(one)
  })
})

test('[N50] a result too large for an event returns from its artifact, text as text and JSON as JSON', async () => {
  const [text, list] = ['x'.repeat(20_000), Array.from({ length: 5_000 }, (_, n) => ({ n }))]
  const run: AgentFunction = async ({ session }, process) => {
    const large = await session.tool('text', {}, () => process.act('text', text))
    const long = await session.tool('list', {}, () => process.act('list', list))
    const huge = await session.tool('huge', {}, () => process.act('huge', 'y'.repeat(1_600_000)))
    await session.approval({ subject: 'end', reason: 'Enough?' })
    return [large === text, JSON.stringify(long) === JSON.stringify(list), huge.length]
  }
  let process = new DurableProcess(defineAgents({ shop: run, poet }))
  for (const key of [one, two]) await process.submit(key, 'x')
  for (const key of [one, two]) await process.approval(key)
  process = await process.next()
  for (const key of [one, two]) {
    await process.approve(key)
    await process.idle(key)
    expect(await process.results(key)).toEqual([[true, true, 1_600_000]])
  }
  expect(process.ledger.entries).toHaveLength(6)
})

test('[N50] large results return also after more of them than a session lists', async () => {
  const count = ARTIFACTS_MAX + 5
  const run: AgentFunction = async ({ session }, process) => {
    const results: string[] = []
    for (let n = 1; n <= count; n++)
      results.push(await session.tool('read', { n }, () => process.act(`read ${n}`, `${n} `.padEnd(12_100, 'x'))))
    await session.approval({ subject: 'end', reason: 'Enough?' })
    return results.map((text, index) => text.startsWith(`${index + 1} `)).filter(Boolean).length
  }
  let process = new DurableProcess(defineAgents({ shop: run }))
  await process.submit(one, 'x')
  const until = async (holds: () => Promise<boolean>) => {
    for (let tries = 0; tries < 1_000 && !(await holds()); tries++) await flushPending(100)
  }
  await until(async () => (await process.openApprovals(one)).length > 0)
  process = await process.next()
  await process.approve(one)
  await until(async () => (await process.results(one)).length > 0)
  expect(await process.results(one)).toEqual([count])
  expect(process.ledger.entries).toHaveLength(count)
})

test('[N50] [N54] steps and calls inside a tool have names of their own: a settled tool does not run again', async () => {
  const run: AgentFunction = async ({ session }, process) => {
    const inner = await session.tool('outer', {}, async () => {
      const step = await session.step('draw', () => process.act('draw inside', 'inside'))
      const paid = await session.tool('pay', { n: 1 }, () => process.act('pay inside', 'receipt inside'))
      return `${step}, ${paid}`
    })
    const step = await session.step('draw', () => process.act('draw outside', 'outside'))
    const paid = await session.tool('pay', { n: 1 }, () => process.act('pay outside', 'receipt outside'))
    await session.approval({ subject: 'end', reason: 'Enough?' })
    return [inner, step, paid]
  }
  let process = new DurableProcess(defineAgents({ shop: run, poet: run }))
  for (const key of [one, two, three]) await process.submit(key, 'x')
  for (const key of [one, two, three]) await process.approval(key)
  process = await process.next()
  for (const key of [three, one, two]) {
    await process.approve(key)
    await process.idle(key)
    expect(await process.results(key)).toEqual([['inside, receipt inside', 'outside', 'receipt outside']])
  }
  expect(process.ledger.entries).toHaveLength(12)
})

test('[N9] a call runs only with the arguments that were approved, whoever changes them on the way', async () => {
  const run: AgentFunction = ({ session }, process) =>
    session.tool('pay', { n: 1 }, ({ n }) => process.act(`pay ${n}`, 'receipt'), { approve: true })
  const process = new DurableProcess(defineAgents({ shop: run }))
  await process.submit(one, 'x')
  await process.approval(one)
  process.log.before = ({ events }) => {
    for (const { type, payload } of events)
      if (type === 'approval_decided') Object.assign(payload, { arguments: { n: 9 } })
  }
  await process.approve(one)
  await process.idle(one)
  expect(process.ledger.entries).toEqual([])
  expect(await process.payloads(one, 'tool_outcome')).toMatchObject([
    { status: 'error', error: 'not what was approved' },
  ])
})
