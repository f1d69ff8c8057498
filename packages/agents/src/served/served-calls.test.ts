// The table of what can happen to a call that an engine asks for.
import { INLINE_CHARS_MAX } from '@bridle/events/limits'
import { callDigest } from '@bridle/kernel/host/approval-binding'
import { digest } from '@bridle/kernel/host/host.suite'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Tool, tool } from '../tools/tool.ts'
import { keyOf, ServedWorld } from './served-world.suite.ts'

const sessions = ['a', 'b', 'c'].map((id) => keyOf(id))

/** Ships a version, and counts what it did. */
const shipping = (more: Partial<Parameters<typeof tool>[0]> = {}) => {
  const shipped: unknown[] = []
  const deploy = tool({
    name: 'deploy',
    description: 'Deploys a version.',
    input: z.object({ version: z.string() }),
    run: ({ version }) => {
      shipped.push(version)
      return { deployed: version }
    },
    ...(more as object),
  })
  return { tools: [deploy], shipped }
}

describe('a call', () => {
  test('[EN57] is in the log before it begins, and has one outcome, in three sessions at once', async () => {
    const seen: string[][] = []
    const it: ServedWorld = new ServedWorld([
      tool({
        name: 'deploy',
        description: 'Deploys.',
        input: z.object({ version: z.string() }),
        run: async ({ version }, { session, stepKey }) => {
          const key = keyOf(session.id)
          seen.push((await it.payloads('tool_call', key)).map(({ tool_call_id }) => `${tool_call_id} ${stepKey}`))
          return version
        },
      }),
    ])
    for (const key of sessions) await it.begin(key)
    const answers = await Promise.all(sessions.map((key) => it.call('toolu_1', 'deploy', { version: key.id }, key)))
    expect(answers).toEqual(sessions.map(({ id }) => ({ text: id, isError: false })))
    expect(seen.flat().sort()).toEqual(sessions.map(({ id }) => `toolu_1 acme/engine/${id}:r-2:toolu_1`))
    for (const key of sessions) {
      expect(await it.payloads('tool_call', key)).toEqual([
        {
          name: 'deploy',
          arguments: { version: key.id, _tool_call_id: 'toolu_1' },
          tool_call_id: 'toolu_1',
          effect: 'unsafe',
          served: true,
        },
      ])
      expect(await it.payloads('tool_outcome', key)).toMatchObject([
        { tool_call_id: 'toolu_1', tool_name: 'deploy', status: 'ok', result: key.id },
      ])
    }
  })

  test('[EN57] comes after the text that the engine wrote before it', async () => {
    const { tools } = shipping()
    const it = new ServedWorld(tools)
    await it.begin()
    await it.run(keyOf()).reporter.token('First. ')
    await it.run(keyOf()).reporter.token('Then this.')
    await it.call('toolu_1', 'deploy', { version: '1' })
    const types = (await it.events()).map(({ type }) => type)
    expect(types.lastIndexOf('token')).toBeLessThan(types.indexOf('tool_call'))
  })

  test('[EN57] leaves the frames of the engine as they are: the next one counts', async () => {
    const { tools } = shipping()
    const it = new ServedWorld(tools)
    await it.begin()
    const { reporter } = it.run(keyOf())
    const { frame } = reporter
    await it.call('toolu_1', 'deploy', { version: '1' })
    expect(reporter.frame).toBe(frame)
    await reporter.report([{ type: 'event', event: { type: 'token', payload: { text: 'next' } } }], frame + 1)
    expect((await it.payloads('token')).map(({ text }) => text)).toEqual(['next'])
  })

  test('[EN57] with arguments that do not fit is not made, and the model reads why', async () => {
    const { tools, shipped } = shipping()
    const it = new ServedWorld(tools)
    await it.begin()
    const answer = await it.call('toolu_1', 'deploy', { version: 1 })
    expect(answer).toEqual({
      text: expect.stringMatching(/^The arguments of "deploy" do not fit: version: /),
      isError: true,
    })
    expect(shipped).toEqual([])
    expect(await it.outcomes()).toEqual(['toolu_1 error arguments_invalid'])
    expect(await it.payloads('tool_call')).toMatchObject([{ effect: 'pure' }])
  })

  test('[EN64] of a tool that is not there is one sentence, and in the log', async () => {
    const it = new ServedWorld(shipping().tools)
    await it.begin()
    expect(await it.call('toolu_1', 'destroy')).toEqual({
      text: 'There is no tool "destroy" here any more.',
      isError: true,
    })
    expect(await it.outcomes()).toEqual(['toolu_1 error unknown_tool'])
  })

  test('[EN59] hands the result over whole, and keeps a large one as an artifact', async () => {
    const large = 'x'.repeat(INLINE_CHARS_MAX + 1)
    const it = new ServedWorld([tool({ name: 'read', description: 'Reads.', effect: 'pure', run: () => large })])
    await it.begin()
    expect((await it.call('toolu_1', 'read')).text).toBe(large)
    expect(await it.payloads('tool_outcome')).toMatchObject([{ status: 'artifact', result: { size: large.length } }])
    // From the log.
    const next = await it.again()
    expect((await next.call('toolu_1', 'read')).text).toBe(large)
  })

  test.each<[string, () => unknown, RegExp, string]>([
    [
      'throws',
      () => {
        throw new Error('The registry is down.')
      },
      /^The registry is down\.$/,
      'toolu_1 error',
    ],
    [
      'returns no JSON',
      () => ({ at: 1n }),
      /^The result of "odd" is not JSON, or nested too deep\.$/,
      'toolu_1 error result_invalid',
    ],
    [
      'returns 100 MB',
      () => 'x'.repeat(100_000_000),
      /^The result of "odd" has more than 10000000 characters\. Ask it for less\.$/,
      'toolu_1 error result_too_large',
    ],
  ])('[EN59] of a tool that %s fails with one sentence, and the session lives', async (_name, run, text, outcome) => {
    const it = new ServedWorld([
      tool({ name: 'odd', description: 'Odd.', effect: 'pure', run }),
      tool({ name: 'even', description: 'Even.', effect: 'pure', run: () => 'fine' }),
    ])
    await it.begin()
    expect(await it.call('toolu_1', 'odd')).toEqual({ text: expect.stringMatching(text), isError: true })
    expect(await it.outcomes()).toEqual([outcome])
    expect(await it.call('toolu_2', 'even')).toEqual({ text: 'fine', isError: false })
  })

  test('[EN59] ends after timeoutMs', async () => {
    const hang = tool({ name: 'hang', description: 'Hangs.', timeoutMs: 5_000, run: () => new Promise(() => {}) })
    const it = new ServedWorld([hang])
    await it.begin()
    const answer = it.call('toolu_1', 'hang')
    await it.quiet()
    await it.clock.pass(5_000)
    expect(await answer).toMatchObject({ isError: true, text: expect.stringContaining('5000 ms') })
    expect(await it.outcomes()).toEqual(['toolu_1 timeout'])
  })

  test('[EN59] publishes artifacts and remembers values, and adds nothing once it has ended', async () => {
    let late: (() => Promise<void>) | null = null
    const it = new ServedWorld([
      tool({
        name: 'report',
        description: 'Reports.',
        run: async (_input, { session }) => {
          await session.artifact('report.md', '# Done', 'text/markdown')
          await session.memory.set('colour', 'red')
          late = () => session.artifact('late.md', '# Late', 'text/markdown')
          return (await session.messages()).length
        },
      }),
    ])
    await it.begin()
    expect((await it.call('toolu_1', 'report')).isError).toBe(false)
    await expect(late!()).rejects.toThrow('over')
    expect((await it.payloads('artifact_published')).map(({ name }) => name)).toEqual(['report.md'])
    expect(await it.payloads('memory_set')).toMatchObject([{ key: 'colour', value: 'red' }])
  })

  test('[EN61] is made once for the same id and arguments, also at the same time; other arguments are another call', async () => {
    const { tools, shipped } = shipping()
    const it = new ServedWorld(tools)
    await it.begin()
    await Promise.all([it.call('toolu_1', 'deploy', { version: '1' }), it.call('toolu_1', 'deploy', { version: '1' })])
    expect(await it.call('toolu_1', 'deploy', { version: '1' })).toMatchObject({ text: '{"deployed":"1"}' })
    expect(shipped).toEqual(['1'])
    // A provider that numbers the calls of each answer from the start.
    await it.call('toolu_1', 'deploy', { version: '2' })
    await it.call('toolu_1', 'deploy', { version: '2' })
    expect(shipped).toEqual(['1', '2'])
    expect(await it.outcomes()).toEqual(['toolu_1 ok', 'toolu_1:2 ok'])
  })

  test('[EN59] has a step key of its own, also where an engine gives a call of each turn the same id, in three sessions', async () => {
    const keys: string[] = []
    const pay = tool({ name: 'pay', description: 'Pays.', run: (_input, { stepKey }) => void keys.push(stepKey) })
    const it = new ServedWorld([pay])
    for (const turn of [1, 2]) {
      for (const key of sessions) {
        await it.begin(key)
        await it.call('call_0', 'pay', {}, key)
        expect(keys).toHaveLength(new Set(keys).size)
      }
      expect(keys).toHaveLength(turn * sessions.length)
      for (const key of sessions) await it.report([{ type: 'finished' }], key)
    }
  })

  test('[EN61] has the id of Codex too', async () => {
    const { tools } = shipping()
    const it = new ServedWorld(tools)
    await it.begin()
    await it.rpc('tools/call', { name: 'deploy', arguments: { version: '1' }, _meta: { callId: 'call_1' } })
    expect(await it.outcomes()).toEqual(['call_1 ok'])
  })

  test('[EN61] without an id of the engine has that of its request', async () => {
    const { tools, shipped } = shipping()
    const it = new ServedWorld(tools)
    await it.begin()
    const params = { name: 'deploy', arguments: { version: '1' } }
    for (const id of [7, '7', 7]) await it.rpc('tools/call', params, keyOf(), id)
    await it.rpc('tools/call', params, keyOf(), 7, 'other-client')
    expect(await it.outcomes()).toEqual(['mcp.abc.n7 ok', 'mcp.abc.s7 ok', 'mcp.other-client.n7 ok'])
    expect(shipped).toHaveLength(3)
  })
})

describe('an approval', () => {
  const asking = () => shipping({ approve: { reason: 'Deploys to everybody.' } } as object)

  test('[EN58] comes first, in three sessions interleaved: approved, edited, denied', async () => {
    const { tools, shipped } = asking()
    const it = new ServedWorld(tools)
    for (const key of sessions) await it.begin(key)
    const answers = sessions.map((key) => it.call('toolu_1', 'deploy', { version: '1' }, key))
    await it.quiet()
    expect(shipped).toEqual([])
    for (const key of sessions)
      expect(await it.payloads('approval_required', key)).toMatchObject([
        { tool_name: 'deploy', reason: 'Deploys to everybody.', effect: 'unsafe', kind: 'tool' },
      ])
    const [a, b, c] = sessions
    expect(await it.approve('approved', { version: 2 }, b)).toMatchObject({ refused: 'arguments_invalid' })
    await it.approve('denied', undefined, c)
    await it.approve('approved', { version: '2' }, b)
    await it.approve('approved', undefined, a)
    expect(await Promise.all(answers)).toEqual([
      { text: '{"deployed":"1"}', isError: false },
      {
        text: 'A person changed the arguments of this call to {"version":"2"} and approved it.\n{"deployed":"2"}',
        isError: false,
      },
      { text: 'The call was not made: denied', isError: true },
    ])
    expect(shipped).toEqual(['2', '1'])
    for (const key of sessions) expect(await it.payloads('approval_delivered', key)).toHaveLength(1)
  })

  test('[EN58] waits for days, also over two restarts, and the call is then made once', async () => {
    const { tools, shipped } = asking()
    let it = new ServedWorld(tools)
    await it.begin()
    void it.call('toolu_1', 'deploy', { version: '1' })
    await it.quiet()
    await it.clock.pass(3 * 86_400_000)
    it = await it.again()
    it = await it.again()
    const answer = it.call('toolu_1', 'deploy', { version: '1' })
    await it.quiet()
    expect(await it.payloads('approval_required')).toHaveLength(1)
    await it.approve()
    expect(await answer).toEqual({ text: '{"deployed":"1"}', isError: false })
    expect(shipped).toEqual(['1'])
  })

  test('[EN58] that came while no process was there is used by the next one, ahead of the repeated request', async () => {
    const { tools, shipped } = asking()
    const it = new ServedWorld(tools)
    await it.begin()
    void it.call('toolu_1', 'deploy', { version: '1' })
    await it.quiet()
    // The answer is the last thing that this process writes.
    const approvalId = await it.openApproval()
    it.log.after = () => new Promise(() => {})
    void it.send({ type: 'approve', approvalId, decision: 'approved' })
    await it.quiet()
    expect(shipped).toEqual([])
    const next = await it.again()
    expect(shipped).toEqual(['1'])
    expect(await next.call('toolu_1', 'deploy', { version: '1' })).toMatchObject({ isError: false })
    expect(await next.outcomes()).toEqual(['toolu_1 ok'])
  })

  test('[EN66] is needed while the engine makes a plan, except for calls that change nothing', async () => {
    const { tools, shipped } = shipping()
    const read = tool({ name: 'read', description: 'Reads.', effect: 'pure', run: () => 'text' })
    const it = new ServedWorld([...tools, read], 'The engine makes a plan, and this call may change something.')
    await it.begin()
    expect(await it.call('toolu_1', 'read')).toEqual({ text: 'text', isError: false })
    const answer = it.call('toolu_2', 'deploy', { version: '1' })
    await it.quiet()
    expect(await it.payloads('approval_required')).toMatchObject([
      { reason: 'The engine makes a plan, and this call may change something.' },
    ])
    await it.approve()
    expect(await answer).toMatchObject({ isError: false })
    expect(shipped).toEqual(['1'])
  })

  test('[EN67] is withdrawn when the engine gives the call up', async () => {
    const { tools, shipped } = asking()
    const it = new ServedWorld(tools)
    await it.begin()
    const params = { name: 'deploy', arguments: { version: '1' }, _meta: { 'claudecode/toolUseId': 'toolu_1' } }
    const answer = it.rpc('tools/call', params, keyOf(), 5)
    await it.quiet()
    const { answers } = it.run(keyOf())
    const cancel = (requestId: number, session: string) =>
      answers.answer({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }, session)
    // Requests of another client, and with another id.
    await cancel(5, 'other')
    await cancel(6, 'abc')
    await it.quiet()
    expect(await it.outcomes()).toEqual([])
    expect(await cancel(5, 'abc')).toEqual({ status: 202 })
    await answer
    expect(await it.outcomes()).toEqual(['toolu_1 error cancelled'])
    expect(await it.payloads('approval_decided')).toMatchObject([{ decision: 'cancelled' }])
    expect(shipped).toEqual([])
  })
})

describe('a process that ends in the middle of a call', () => {
  /** A tool that acts, and then never returns in the first process. */
  const acting = (effect: Tool['effect']) => {
    const acted: string[] = []
    const make = (isLast: boolean) => [
      tool({
        name: 'pay',
        description: 'Pays.',
        effect,
        run: (_input, { stepKey }) => {
          acted.push(stepKey)
          return isLast ? 'paid' : new Promise(() => {})
        },
      }),
    ]
    return { acted, make }
  }

  test.each(['pure', 'idempotent'] as const)(
    '[EN62] a %s call is made again, with the same step key, in three sessions',
    async (effect) => {
      const { acted, make } = acting(effect)
      const it = new ServedWorld(make(false))
      for (const key of sessions) {
        await it.begin(key)
        void it.call('toolu_1', 'pay', {}, key)
      }
      await it.quiet()
      const next = await it.again(make(true))
      for (const key of sessions) {
        expect(await next.call('toolu_1', 'pay', {}, key)).toEqual({ text: 'paid', isError: false })
        expect(await next.outcomes(key)).toEqual(['toolu_1 ok'])
        expect(await next.payloads('tool_call', key)).toHaveLength(1)
        expect(acted.filter((each) => each.includes(`/${key.id}:`))).toHaveLength(2)
      }
      expect(new Set(acted).size).toBe(3)
    },
  )

  test('[EN62] [S84] an unsafe call is asked about, and made again only if a person says so, in three sessions', async () => {
    const { acted, make } = acting('unsafe')
    const it = new ServedWorld(make(false))
    for (const key of sessions) {
      await it.begin(key)
      void it.call('toolu_1', 'pay', {}, key)
    }
    await it.quiet()
    const next = await it.again(make(true))
    const answers = sessions.map((key) => next.call('toolu_1', 'pay', {}, key))
    await next.quiet()
    expect(acted).toHaveLength(3)
    for (const key of sessions)
      expect(await next.payloads('approval_required', key)).toMatchObject([
        { kind: 'unknown_outcome', served: true, tool_name: 'pay' },
      ])
    const [a, b, c] = sessions
    await next.approve('approved', undefined, a)
    await next.approve('denied', undefined, b)
    expect(await answers[0]).toEqual({ text: 'paid', isError: false })
    expect(await answers[1]).toMatchObject({ isError: true })
    expect(await next.outcomes(b)).toEqual(['toolu_1 error outcome_unknown'])
    // The turn of a denied question goes on: the engine reads the answer.
    expect(await next.payloads('turn_end', b)).toEqual([])
    expect(acted).toHaveLength(4)
    // The question of the third outlives another process.
    const last = await next.again(make(true))
    await last.approve('approved', undefined, c)
    expect(await last.call('toolu_1', 'pay', {}, c)).toEqual({ text: 'paid', isError: false })
    expect(await last.payloads('approval_required', c)).toHaveLength(1)
    expect(acted).toHaveLength(5)
  })

  test('[EN62] an unsafe call that was approved, and then cut off, keeps the arguments of the approval', async () => {
    const paid: unknown[] = []
    const make = (isLast: boolean) => [
      tool({
        name: 'pay',
        description: 'Pays.',
        input: z.object({ cents: z.number() }),
        approve: true,
        run: ({ cents }) => {
          paid.push(cents)
          return isLast ? 'paid' : new Promise(() => {})
        },
      }),
    ]
    const it = new ServedWorld(make(false))
    await it.begin()
    void it.call('toolu_1', 'pay', { cents: 5 })
    await it.quiet()
    await it.approve('approved', { cents: 3 })
    expect(paid).toEqual([3])
    const next = await it.again(make(true))
    const answer = next.call('toolu_1', 'pay', { cents: 5 })
    await next.quiet()
    expect(await next.payloads('approval_required')).toMatchObject([
      { kind: 'tool' },
      { kind: 'unknown_outcome', arguments: { cents: 3 } },
    ])
    await next.approve()
    expect((await answer).text).toMatch(/paid$/)
    expect(paid).toEqual([3, 3])
  })

  test('[EN62] an outcome that is in the log is answered again, and nothing is made twice', async () => {
    const { tools, shipped } = shipping()
    const it = new ServedWorld(tools)
    await it.begin()
    await it.call('toolu_1', 'deploy', { version: '1' })
    const next = await it.again()
    expect(await next.call('toolu_1', 'deploy', { version: '1' })).toEqual({ text: '{"deployed":"1"}', isError: false })
    expect(shipped).toEqual(['1'])
  })

  test('[EN62] an orderly stop answers nothing, so that the request is sent again, and the call is made once more only if a person says so', async () => {
    const { acted, make } = acting('unsafe')
    const it = new ServedWorld(make(false))
    await it.begin()
    const params = { name: 'pay', arguments: {}, _meta: { callId: 'toolu_1' } }
    const open = it.rpc('tools/call', params)
    open.catch(() => {})
    await it.quiet()
    const next = await it.restart(make(true))
    await expect(open).rejects.toMatchObject({ code: 'run_over' })
    const answer = next.call('toolu_1', 'pay')
    await next.quiet()
    expect(acted).toHaveLength(1)
    await next.approve()
    expect(await answer).toEqual({ text: 'paid', isError: false })
    expect(await next.outcomes()).toEqual(['toolu_1 ok'])
    expect(acted).toHaveLength(2)
  })

  test('[EN62] an outcome that cannot be written is no answer', async () => {
    let end = () => {}
    const slow = tool({
      name: 'slow',
      description: 'Is slow.',
      run: () =>
        new Promise((resolve) => {
          end = () => resolve('done')
        }),
    })
    const it = new ServedWorld([slow])
    await it.begin()
    const answer = it.rpc('tools/call', { name: 'slow' })
    answer.catch(() => {})
    await it.quiet()
    it.kill()
    end()
    await expect(answer).rejects.toThrow()
  })

  test.each(['pure', 'idempotent'] as const)(
    '[EN58] a %s call is not made again without its approval, in three sessions',
    async (effect) => {
      const { acted, make } = acting(effect)
      const asking = (tools: readonly Tool[]) => tools.map((each): Tool => ({ ...each, approve: { reason: 'Pays.' } }))
      const it = new ServedWorld(make(false))
      for (const key of sessions) {
        await it.begin(key)
        void it.call('toolu_1', 'pay', {}, key)
      }
      await it.quiet()
      // The operator has added the approval meanwhile.
      let next = await it.again(asking(make(true)))
      next = await next.again()
      const answers = sessions.map((key) => next.call('toolu_1', 'pay', {}, key))
      await next.quiet()
      expect(acted).toHaveLength(3)
      for (const key of sessions)
        expect(await next.payloads('approval_required', key)).toMatchObject([{ kind: 'tool', reason: 'Pays.' }])
      const [a, b, c] = sessions
      await next.approve('approved', undefined, a)
      await next.approve('denied', undefined, b)
      await next.approve('approved', undefined, c)
      expect((await Promise.all(answers)).map(({ isError }) => isError)).toEqual([false, true, false])
      expect(acted).toHaveLength(5)
    },
  )

  test('[EN58] an idempotent call whose schema fails once is not made without its approval', async () => {
    const { acted, make } = acting('idempotent')
    const it = new ServedWorld(make(false))
    await it.begin()
    void it.call('toolu_1', 'pay')
    await it.quiet()
    let checks = 0
    const input = z.object({}).refine(() => ++checks > 1)
    const next = await it.again(make(true).map((each) => ({ ...each, input: input as never, approve: true }) as Tool))
    expect(await next.outcomes()).toEqual(['toolu_1 error arguments_invalid'])
    expect(acted).toHaveLength(1)
  })

  test('[EN64] a tool that the operator removed meanwhile is one sentence', async () => {
    const { acted, make } = acting('unsafe')
    const it = new ServedWorld(make(false))
    await it.begin()
    void it.call('toolu_1', 'pay')
    await it.quiet()
    const next = await it.again(shipping().tools)
    expect(await next.call('toolu_1', 'pay')).toEqual({
      text: 'The tool "pay" was removed. It is unknown whether the call has happened.',
      isError: true,
    })
    expect(await next.outcomes()).toEqual(['toolu_1 error tool_gone'])
    expect(acted).toHaveLength(1)
  })
})

describe('the end of a run', () => {
  test.each(['cancel', 'pause'] as const)(
    '[EN65] %s aborts the signal of a call, which then reports nothing',
    async (type) => {
      const reasons: unknown[] = []
      const it = new ServedWorld([
        tool({
          name: 'wait',
          description: 'Waits.',
          run: (_input, { signal }) =>
            new Promise((resolve) =>
              signal.addEventListener('abort', () => {
                reasons.push(signal.reason)
                resolve('late')
              }),
            ),
        }),
      ])
      await it.begin()
      const answer = it.rpc('tools/call', { name: 'wait' })
      answer.catch(() => {})
      await it.quiet()
      await it.send({ type })
      await it.quiet()
      expect(reasons).toHaveLength(1)
      await expect(answer).rejects.toMatchObject({ code: 'run_over' })
      expect(await it.outcomes()).toEqual(['mcp.abc.n1 error interrupted'])
      await expect(it.rpc('tools/call', { name: 'wait' })).rejects.toMatchObject({ code: 'run_over' })
    },
  )

  test('[EN65] a run over its budget makes no further call', async () => {
    const { tools, shipped } = shipping()
    const it = new ServedWorld(tools)
    await it.begin(keyOf(), { policy: { health: { max_total_tokens: 10 } } })
    await it.call('toolu_1', 'deploy', { version: '1' })
    await it.report([{ type: 'event', event: { type: 'usage', payload: { input_tokens: 20, output_tokens: 1 } } }])
    await expect(it.rpc('tools/call', { name: 'deploy', arguments: { version: '2' } })).rejects.toThrow()
    expect(shipped).toEqual(['1'])
    expect(await it.payloads('budget_crossed')).toHaveLength(1)
  })
})

describe('a sandbox that nobody trusts', () => {
  test('[EN70] cannot mark a call of its own, nor take the id of one for a call of ours', async () => {
    const { tools, shipped } = shipping()
    const it = new ServedWorld(tools)
    await it.begin()
    await it.report([
      {
        type: 'event',
        event: { type: 'tool_call', payload: { name: 'Bash', arguments: {}, tool_call_id: 'toolu_1', effect: 'pure' } },
      },
    ])
    expect(await it.call('toolu_1', 'deploy', { version: '1' })).toEqual({
      text: 'Another call has the id "toolu_1".',
      isError: true,
    })
    expect(shipped).toEqual([])
    expect((await it.payloads('tool_call')).map(({ name }) => name)).toEqual(['Bash'])
  })

  test('[EN70] cannot answer for a call of ours with a question of its own about the same call', async () => {
    const { tools, shipped } = shipping({ approve: true, effect: 'idempotent' } as object)
    let it = new ServedWorld(tools)
    await it.begin()
    const args = { version: '1' }
    const hash = await callDigest(digest, 'deploy', args)
    await it.report([
      { type: 'ask', toolCallId: 'toolu_1', tool: 'deploy', arguments: args, reason: 'So.', digest: hash },
    ])
    void it.call('toolu_1', 'deploy', args)
    await it.quiet()
    expect(await it.payloads('approval_required')).toMatchObject([{ reason: 'So.' }, { served: true }])
    it = await it.again()
    expect(shipped).toEqual([])
  })

  test.each<[string, string, object]>([
    ['an unknown tool', 'destroy', {}],
    ['arguments that do not fit', 'deploy', { version: 1 }],
    ['a call that needs an approval', 'deploy', { version: '1' }],
  ])('[EN70] cannot end a call of the engine with %s, nor withdraw its question', async (_name, name, args) => {
    const { tools } = shipping({ approve: true } as object)
    const it = new ServedWorld(tools)
    await it.begin()
    const ask = { toolCallId: 'toolu_1', tool: 'Bash', arguments: {}, reason: 'So.', digest: 'd' }
    const payload = { name: 'Bash', arguments: {}, tool_call_id: 'toolu_1' }
    await it.report([
      { type: 'event', event: { type: 'tool_call', payload } },
      { type: 'ask', ...ask },
    ])
    expect(await it.call('toolu_1', name, args as never)).toEqual({
      text: 'Another call has the id "toolu_1".',
      isError: true,
    })
    expect(await it.outcomes()).toEqual([])
    expect(await it.payloads('approval_decided')).toEqual([])
    expect(await it.payloads('approval_required')).toHaveLength(1)
    expect((await it.payloads('tool_call')).map(({ name }) => name)).toEqual(['Bash'])
  })

  test('[EN70] cannot end a call of ours well with the end of its turn, in three sessions', async () => {
    const hang = tool({ name: 'hang', description: 'Hangs.', effect: 'idempotent', run: () => new Promise(() => {}) })
    const it = new ServedWorld([hang])
    for (const key of sessions) {
      await it.begin(key)
      const payload = { name: 'Bash', arguments: {}, tool_call_id: 'toolu_2' }
      await it.report([{ type: 'event', event: { type: 'tool_call', payload } }], key)
      it.call('toolu_1', 'hang', {}, key).catch(() => {})
    }
    await it.quiet()
    for (const key of sessions) {
      await it.report([{ type: 'finished' }], key)
      expect(await it.outcomes(key)).toEqual(['toolu_2 ok', 'toolu_1 error outcome_unknown'])
      expect(await it.payloads('turn_end', key)).toMatchObject([{ status: 'completed' }])
    }
  })

  test('[EN70] is held to a number of calls at once', async () => {
    const hang = tool({ name: 'hang', description: 'Hangs.', run: () => new Promise(() => {}) })
    const it = new ServedWorld([hang])
    await it.begin()
    for (let n = 0; n < 100; n++) void it.call(`c${n}`, 'hang')
    await it.quiet()
    expect(await it.call('c100', 'hang')).toEqual({
      text: 'The run has 100 calls under way. Wait until some have ended.',
      isError: true,
    })
    expect(await it.payloads('tool_call')).toHaveLength(100)
  })

  test('[EN70] is held to a number of calls in its run, also with one id, and reads earlier outcomes after that', async () => {
    const read = tool({ name: 'read', description: 'Reads.', effect: 'pure', run: ({ n }) => n as number })
    const it = new ServedWorld([read])
    await it.begin()
    for (let n = 0; n < 1_000; n += 50)
      await Promise.all(Array.from({ length: 50 }, (_, i) => it.call('call_0', 'read', { n: n + i })))
    expect(await it.call('call_0', 'read', { n: 1_000 })).toEqual({
      text: 'The run has made 1000 calls, and can make no more.',
      isError: true,
    })
    await it
      .run(keyOf())
      .calls.reportUnmade(
        { id: 'call_1', tool: 'read', arguments: {} },
        { status: 'error', error: 'No.', reason: 'not_made' },
      )
    expect(await it.call('call_0', 'read', { n: 999 })).toEqual({ text: '999', isError: false })
    expect(await it.payloads('tool_call')).toHaveLength(1_000)
  })

  test('[EN70] cannot hold the server up with long arguments: each is read once', async () => {
    let reads = 0
    const counted = (n: number) =>
      Object.defineProperty({ n }, 'long', {
        enumerable: true,
        get: () => {
          reads += 1
          return 'x'
        },
      }) as never
    const read = tool({ name: 'read', description: 'Reads.', effect: 'pure', run: () => 'text' })
    const it = new ServedWorld([read])
    await it.begin()
    const { calls } = it.run(keyOf())
    for (let n = 0; n < 20; n++) await calls.call({ id: 'call_0', tool: 'read', arguments: { n } })
    for (let n = 0; n < 20; n++) await calls.call({ id: `mcp.${n}`, tool: 'read', arguments: { n } })
    expect(calls.derivedId('read', counted(-1), new Set())).toBeNull()
    expect(reads).toBe(1)
  })

  test.each<[string, unknown, object]>([
    ['no object', 'hello', { status: 400 }],
    ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'ping' }], { status: 400 }],
    ['another protocol', { id: 1, method: 'ping' }, { status: 400 }],
    ['no method', { jsonrpc: '2.0', id: 1, result: {} }, { status: 400 }],
    [
      'an unknown method',
      { jsonrpc: '2.0', id: 1, method: 'resources/list' },
      { message: { error: { code: -32_601 } } },
    ],
    [
      'a call without a name',
      { jsonrpc: '2.0', id: 1, method: 'tools/call' },
      { message: { error: { code: -32_602 } } },
    ],
    [
      'arguments that are a list',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'deploy', arguments: [] } },
      { message: { error: { code: -32_602 } } },
    ],
    [
      'an id that is an object',
      { jsonrpc: '2.0', id: {}, method: 'tools/call', params: { name: 'deploy' } },
      { status: 202 },
    ],
    [
      'an id that is a long text',
      { jsonrpc: '2.0', id: 'x'.repeat(1_000), method: 'tools/call', params: { name: 'deploy' } },
      { message: { error: { code: -32_602 } } },
    ],
    [
      'arguments that are too long',
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'deploy', arguments: { version: 'x'.repeat(600_000) } },
      },
      { message: { result: { isError: true } } },
    ],
    ['a notification that nobody knows', { jsonrpc: '2.0', method: 'notifications/other' }, { status: 202 }],
  ])('[EN70] that sends %s gets an answer, and no call is made', async (_name, message, expected) => {
    const { tools, shipped } = shipping()
    const it = new ServedWorld(tools)
    await it.begin()
    expect(await it.run(keyOf()).answers.answer(message, null)).toMatchObject(expected)
    expect(shipped).toEqual([])
    expect(await it.payloads('tool_call')).toEqual([])
  })
})

describe('the MCP server', () => {
  test('[EN56] introduces itself in the version of the client, and offers each tool with its schema and its effect', async () => {
    const { tools } = shipping()
    const it = new ServedWorld([
      ...tools,
      tool({ name: 'look', description: 'Looks.', effect: 'pure', run: () => null }),
      tool({ name: 'set', description: 'Sets.', effect: 'idempotent', run: () => null }),
    ])
    await it.begin()
    for (const protocolVersion of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])
      expect(await it.rpc('initialize', { protocolVersion })).toMatchObject({
        session: expect.any(String),
        message: { result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'bridle' } } },
      })
    expect(await it.rpc('ping')).toMatchObject({ message: { result: {} } })
    const { message } = await it.rpc('tools/list')
    expect(message?.result).toEqual({
      tools: [
        {
          name: 'deploy',
          description: 'Deploys a version.',
          inputSchema: expect.objectContaining({
            type: 'object',
            properties: { version: { type: 'string' } },
            required: ['version'],
          }),
          annotations: { readOnlyHint: false, idempotentHint: false },
          _meta: { 'anthropic/alwaysLoad': true },
        },
        expect.objectContaining({ name: 'look', annotations: { readOnlyHint: true } }),
        expect.objectContaining({ name: 'set', annotations: { readOnlyHint: false, idempotentHint: true } }),
      ],
    })
  })
})
