// Durable functions that wait for a person: paused, resumed, cancelled, expired, changed.
import { describe, expect, test } from 'vitest'
import { type AgentFunction, background, DurableProcess, defineAgents, keyOf } from './durable-world.suite.ts'

const [one, two, three] = [keyOf('shop', 's1'), keyOf('shop', 's2'), keyOf('poet', 's3')]
const poet: AgentFunction = ({ session }) => session.text('A line.')

describe('a function that waits', () => {
  const asking: AgentFunction = async ({ session }, process) => {
    await session.text('May I? ')
    const { decision } = await session.approval({ subject: 'act', reason: 'It acts.', expiresMs: 60_000 })
    await process.act(`${decision} ${session.id}`, 0)
    await session.text(decision)
  }

  test('[N50] [N57] is paused, resumed, cancelled and answered like any other; its question expires though nobody runs', async () => {
    let process = new DurableProcess(defineAgents({ shop: asking, poet: asking }))
    const four = keyOf('poet', 's4')
    const all = [one, two, three, four]
    for (const key of all) await process.submit(key, 'x', key === two ? background : undefined)
    const ids = await Promise.all(all.map((key) => process.approval(key)))
    await process.clock.pass(5_000)
    for (const key of all) expect(await process.isWaiting(key)).toBe(true)
    await process.send(one, { type: 'pause' })
    await process.send(two, { type: 'pause' })
    await process.send(three, { type: 'cancel' })
    await process.idle(three)
    process = await process.next()
    await process.send(two, { type: 'approve', approvalId: String(ids[1]), decision: 'denied' })
    await process.clock.pass(1_000)
    expect(process.ledger.entries).toEqual([])
    await process.send(two, { type: 'resume' })
    await process.idle(two)
    await process.send(one, { type: 'resume' })
    await process.clock.pass(2_000)
    expect(await process.openApprovals(one)).toEqual([ids[0]])
    await process.approve(one)
    await process.idle(one)
    process = await process.next()
    await process.clock.pass(60_000)
    await process.idle(four)
    expect(process.ledger.entries).toEqual(['denied s2', 'approved s1', 'expired s4'])
    expect(await process.results(one)).toEqual(['May I? approved'])
    expect(await process.results(two)).toEqual(['May I? denied'])
    expect(await process.results(three)).toEqual([])
    expect(await process.results(four)).toEqual(['May I? expired'])
  })

  test('[N51] a call that the function no longer makes ends as abandoned, and the run completes', async () => {
    let process = new DurableProcess(defineAgents({ shop: asking, poet }))
    await process.submit(one, 'x')
    const asked = await process.approval(one)
    process = await process.next({ agents: defineAgents({ shop: ({ session }) => session.text('May I? No.'), poet }) })
    await process.idle(one)
    expect(await process.results(one)).toEqual(['May I? No.'])
    expect(await process.payloads(one, 'tool_outcome')).toMatchObject([{ status: 'error', reason: 'abandoned' }])
    const { approvals } = (await process.host.open(one)).state
    expect([approvals.open, approvals.decided[asked]?.decision]).toEqual([{}, 'cancelled'])
  })

  test('[N8] a result beyond all measure is an error of the call, which is not made again', async () => {
    const run: AgentFunction = async ({ session }, process) => {
      const message = await session
        .tool('dump', {}, () => process.act('dump', 'x'.repeat(10_000_001)))
        .catch((error: Error) => error.message)
      await session.approval({ subject: 'end', reason: 'Enough?' })
      return message
    }
    let process = new DurableProcess(defineAgents({ shop: run, poet }))
    await process.submit(one, 'x')
    await process.approval(one)
    process = await process.next()
    await process.approve(one)
    await process.idle(one)
    expect(await process.results(one)).toMatchObject([
      expect.stringMatching(/"dump" has more than 10000000 characters/),
    ])
    expect(process.ledger.entries).toEqual(['dump'])
  })
})
