// Long conversations: warnings, cleared results, summaries, their failures, and a provider that refuses a request as too long.

import type { AnyEvent } from '@bridle/kernel/event'
import { describe, expect, test } from 'vitest'
import type { Middleware } from '../../middleware/middleware.ts'
import type { ModelMessage } from '../../model/model.ts'
import { ModelError } from '../../model/model-error.ts'
import {
  factsIn,
  isSummaryRequest,
  reader,
  readerOf,
  textsIn,
  tokensIn,
  WINDOW,
  withSummary,
} from '../context/context.suite.ts'
import { type Answering, keyOf, LoopWorld, stubModel } from '../loop.suite.ts'

const typesOf = (events: readonly AnyEvent[]): string[] => events.map(({ type }) => type)

/** Remembers every request. */
const recorded = (answer: Answering): { answer: Answering; requests: (readonly ModelMessage[])[] } => {
  const requests: (readonly ModelMessage[])[] = []
  return {
    requests,
    answer: (prompt, options) => {
      requests.push(prompt)
      return answer(prompt, options)
    },
  }
}

const turns = async (it: LoopWorld, count: number, first = 1): Promise<void> => {
  for (let n = first; n < first + count; n++) await it.ask(`turn ${n}: KEEP(fact${n})`)
}

test('[N82] readers are warned at 75 and 90 percent, once each between two cuts', async () => {
  const percents = [50, 76, 80, 92, 95]
  const answer: Answering = (prompt) => {
    const n = prompt.filter(({ role }) => role === 'assistant').length
    return { tokens: ((percents[n] ?? 0) / 100) * 1_000_000 - 5, text: 'ok' }
  }
  const it = new LoopWorld(reader(answer, { limits: { windowTokens: 1_000_000 } }))
  for (const _ of percents) await it.ask('go')
  expect(await it.payloads('context_warning')).toEqual([
    {
      kind: 'context_usage',
      usage_pct: 76,
      message: 'The conversation fills 76 % of the 1000000 tokens that the model can read.',
    },
    {
      kind: 'context_usage',
      usage_pct: 92,
      message: 'The conversation fills 92 % of the 1000000 tokens that the model can read.',
    },
  ])
  expect((await it.payloads('usage')).map(({ context_usage_pct }) => context_usage_pct)).toEqual(percents)
})

describe('a conversation that fills the window', () => {
  test('[N83] loses the results of old calls first, without a request', async () => {
    const { answer, requests } = recorded(readerOf(5))
    const it = new LoopWorld(reader(answer))
    await it.ask('turn 1')
    const [cut] = await it.payloads('context_compacted')
    expect(cut).toMatchObject({
      original_count: expect.any(Number),
      compacted_count: expect.any(Number),
      preserved_messages: expect.any(Number),
      tokens_saved: expect.any(Number),
      summary: expect.stringContaining('no longer shown'),
      cleared_before: expect.any(Number),
      resume_cursor: expect.stringMatching(/^compact:s1:\d+$/),
    })
    expect(cut).not.toHaveProperty('kept_from')
    // The messages that still say all that they said.
    const cleared = (requests.at(-1) ?? []).filter((message) => textsIn([message]).includes('no longer shown')).length
    expect(cleared).toBeGreaterThan(0)
    expect(cut?.compacted_count).toBe(Number(cut?.original_count) - cleared)
    expect(cut?.tokens_saved).toBeGreaterThan(WINDOW / 10)
    expect(requests.some(isSummaryRequest)).toBe(false)
    expect(textsIn(requests.at(-1) ?? [])).toContain('no longer shown')
    expect(textsIn(requests.at(-1) ?? [])).toContain('file 4')
    expect(requests.every((prompt) => tokensIn(prompt) < WINDOW)).toBe(true)
  })

  test('[N84] is replaced by a summary, but for its last part and the prompt of the turn', async () => {
    // Long prompts: there are no results that could go.
    const it = new LoopWorld(reader(readerOf(0)))
    for (let n = 1; n <= 4; n++) await it.ask(`KEEP(fact${n}) ${'word '.repeat(780)}`)
    const [cut] = await it.payloads('context_compacted')
    expect(cut).toMatchObject({
      original_count: 7,
      compacted_count: 2,
      preserved_messages: 1,
      summary: expect.stringContaining('KEEP(fact1)'),
      kept_from: expect.any(Number),
      read_from: expect.any(Number),
      artifacts: [],
      resources: [],
    })
    expect(await it.result()).toBe('I know fact1 fact2 fact3 fact4.')
    expect(await it.payloads('turn_end')).toHaveLength(4)
    // The summary is a request of its own, and costs.
    expect(await it.payloads('usage')).toHaveLength(5)
  })

  test('[N84] keeps the resources and artifacts in view, in our own words', async () => {
    const { answer, requests } = recorded(readerOf(8))
    const it = new LoopWorld(reader(answer))
    await turns(it, 4)
    const cuts = (await it.payloads('context_compacted')).filter(({ kept_from }) => kept_from !== undefined)
    expect(cuts.length).toBeGreaterThan(0)
    expect(cuts.at(-1)?.resources).toEqual(expect.arrayContaining(['file:0', 'file:1', 'file:2']))
    const last = requests.findLast((prompt) => !isSummaryRequest(prompt)) ?? []
    expect(textsIn(last)).toContain('Resources touched so far:')
    expect(requests.every((prompt) => tokensIn(prompt) < WINDOW)).toBe(true)
  })

  test('[N84] keeps the resources of an earlier summary in view', async () => {
    let reads = 8
    const it = new LoopWorld(reader((prompt, options) => readerOf(reads)(prompt, options)))
    await turns(it, 2)
    reads = 0
    for (let n = 1; n <= 8; n++) await it.ask(`KEEP(fact${n}) ${'word '.repeat(780)}`)
    const cuts = (await it.payloads('context_compacted')).filter(({ kept_from }) => kept_from !== undefined)
    expect(cuts.length).toBeGreaterThan(1)
    for (const { resources } of cuts.slice(1)) expect(resources).toEqual(expect.arrayContaining(['file:0', 'file:1']))
  })

  test('[N84] passes through the functions `compact` of the middleware', async () => {
    const seen: string[] = []
    const layer = (name: string) => ({
      name,
      compact: async (
        request: { messages: readonly ModelMessage[]; maxTokens: number },
        next: (request: never) => Promise<{ text: string }>,
      ) => {
        seen.push(`${name} ${request.maxTokens}`)
        const { text } = await next(request as never)
        return { text: `${text}\nby ${name}` }
      },
    })
    const it = new LoopWorld(reader(readerOf(0), { use: [layer('outer'), layer('inner')] as never }))
    for (let n = 1; n <= 4; n++) await it.ask(`KEEP(fact${n}) ${'word '.repeat(780)}`)
    expect(seen).toEqual(['outer 500', 'inner 500'])
    expect((await it.payloads('context_compacted'))[0]?.summary).toMatch(/by inner\nby outer$/)
    expect(await it.payloads('hook_event')).toMatchObject([
      { hook: 'inner', phase: 'compact', status: 'changed' },
      { hook: 'outer', phase: 'compact', status: 'changed' },
    ])
  })
})

describe('a summary that fails', () => {
  const long = async (it: LoopWorld, from = 1, to = 4) => {
    for (let n = from; n <= to; n++) {
      await it.submit(`KEEP(fact${n}) ${'word '.repeat(780)}`)
      await it.quiet()
      await it.clock.pass(20_000)
    }
  }
  const failures = async (it: LoopWorld) =>
    (await it.payloads('transport_diagnostic')).map(
      ({ kind, status, failure_count }) => `${kind} ${status} ${failure_count}`,
    )

  test.each<[string, () => Answering]>([
    [
      'longer than what it replaces',
      () => withSummary((prompt) => ({ text: textsIn(prompt) + 'x'.repeat(40_000) }), readerOf(0)),
    ],
    ['empty', () => withSummary(() => ({ text: ' ' }), readerOf(0))],
    [
      'refused by the provider',
      () =>
        withSummary(() => {
          throw new ModelError('refused', 'No.')
        }, readerOf(0)),
    ],
    ['cut off', () => withSummary(() => ({ text: 'Half', cut: true }), readerOf(0))],
  ])('[N85] three times in a row: %s. The turn goes on without', async (_, answer) => {
    const it = new LoopWorld(reader(answer()))
    await long(it)
    expect(await failures(it)).toEqual(['compaction retrying 1', 'compaction retrying 2', 'compaction failed 3'])
    expect((await it.payloads('context_warning')).filter(({ kind }) => kind === 'compaction_failed')).toMatchObject([
      { usage_pct: expect.any(Number), message: expect.stringContaining('No room could be made') },
    ])
    expect(await it.payloads('context_compacted')).toEqual([])
    expect((await it.payloads('turn_end')).map(({ status }) => status)).toEqual(Array(4).fill('completed'))
  })

  test('[N85] a summary of more tokens than it may have is refused, also where it replaces more', async () => {
    const it = new LoopWorld(reader(withSummary(() => ({ text: 'y'.repeat(4_500) }), readerOf(0))))
    await long(it)
    const [first] = await it.payloads('transport_diagnostic')
    expect(first).toMatchObject({ kind: 'compaction', reason: expect.stringContaining('more than 500 tokens') })
    expect(await it.payloads('context_compacted')).toEqual([])
  })

  test('[N85] a summary that is longer than what it replaces is refused, also where it is short', async () => {
    let isFull = false
    const answer = withSummary(
      () => ({ text: 'y'.repeat(1_000) }),
      (prompt, options) => {
        if (isFull) throw new ModelError('overflow', 'Too long.', { retryable: false })
        return readerOf(0)(prompt, options)
      },
    )
    const it = new LoopWorld(reader(answer))
    for (const prompt of ['one', 'two']) await it.ask(prompt)
    isFull = true
    await it.submit('three')
    await it.clock.pass(20_000)
    const reasons = (await it.payloads('transport_diagnostic')).map(({ kind, reason }) => `${kind}: ${reason}`)
    expect(reasons).toContain('compaction: The summary is longer than what it replaces.')
    expect(await it.payloads('context_compacted')).toEqual([])
  })

  test('[N85] once is tried again, with less to read; the next turn has three tries again', async () => {
    const sizes: number[] = []
    let isBroken = true
    const answer = withSummary((prompt) => {
      sizes.push(textsIn(prompt).length)
      if (isBroken) throw new ModelError('overflow', 'Too long.')
      return {
        text: factsIn(prompt)
          .map((fact) => `KEEP(${fact})`)
          .join(' '),
      }
    }, readerOf(0))
    const it = new LoopWorld(reader(answer))
    await long(it)
    expect(sizes[2]).toBeLessThan(sizes[1] ?? 0)
    expect(sizes).toHaveLength(3)
    isBroken = false
    await long(it, 5, 5)
    expect(await it.payloads('context_compacted')).toHaveLength(1)
    expect(await it.result()).toBe('I know fact1 fact2 fact3 fact4 fact5.')
  })

  test.each<[string, (next: () => Promise<unknown>) => unknown]>([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
    ['never returns', () => new Promise(() => {})],
    ['returns something else', () => 7],
    ['returns 10 MB', () => ({ text: 'y'.repeat(10_000_000) })],
    [
      'asks without end',
      async (next: () => Promise<unknown>) => {
        for (;;) await next()
      },
    ],
  ])('[N85] since a middleware %s', async (_, compact) => {
    const bad: Middleware = {
      name: 'bad',
      compact: async (request, next) => {
        // The transcript is not the function's to change.
        Object.assign(request.messages, { length: 0 })
        return compact(() => next(request)) as never
      },
    }
    const it = new LoopWorld(reader(readerOf(0), { use: [bad] }))
    await long(it, 1, 3)
    await it.submit(`turn 4 ${'word '.repeat(780)}`)
    await it.clock.pass(1_750_000)
    await it.clock.pass(1_000_000)
    expect(await it.payloads('context_compacted')).toEqual([])
    const [last] = (await it.payloads('turn_end')).slice(-1)
    expect(['completed', 'failed']).toContain(last?.status)
    expect(await it.payloads('turn_end')).toHaveLength(4)
  })
})

describe('a provider that refuses a request as too long', () => {
  const strict =
    (most: number, answer: Answering): Answering =>
    (prompt, options) => {
      if (!isSummaryRequest(prompt) && tokensIn(prompt) > most) throw new ModelError('overflow', 'Too long.')
      return answer(prompt, options)
    }

  test('[N86] gets a shorter one, once', async () => {
    const it = new LoopWorld(reader(strict(2_000, readerOf(0)), { limits: { windowTokens: 100_000 } }))
    for (let n = 1; n <= 3; n++) await it.ask(`KEEP(fact${n}) ${'word '.repeat(600)}`)
    expect((await it.payloads('transport_diagnostic')).map(({ kind, status }) => `${kind} ${status}`)).toEqual([
      'model compacting',
    ])
    expect(await it.payloads('context_compacted')).toHaveLength(1)
    expect(await it.result()).toBe('I know fact1 fact2 fact3.')
    expect(typesOf(await it.events())).not.toContain('run_failed')
  })

  test('[N86] and refuses that as well fails the turn, or is replaced by the next model', async () => {
    const always: Answering = (prompt) => {
      if (isSummaryRequest(prompt)) return { text: 'Short.' }
      if (prompt.length > 2) throw new ModelError('overflow', 'Too long.')
      return { text: 'ok' }
    }
    const failing = new LoopWorld(
      reader((prompt, options) =>
        textsIn(prompt).includes('second') && !isSummaryRequest(prompt)
          ? always([...prompt, ...prompt, ...prompt], options)
          : always(prompt, options),
      ),
    )
    await failing.ask('first')
    await failing.ask('second')
    expect((await failing.payloads('turn_end')).at(-1)).toMatchObject({
      status: 'failed',
      stop_reason: 'model_overflow',
    })
    expect(await failing.payloads('context_compacted')).toHaveLength(1)

    const other = new LoopWorld(
      reader(undefined, {
        model: [
          stubModel((prompt) =>
            isSummaryRequest(prompt) || !textsIn(prompt).includes('second')
              ? { text: 'ok' }
              : (() => {
                  throw new ModelError('overflow', 'Too long.')
                })(),
          ),
          stubModel(() => ({ text: 'From the other.' }), 'other'),
        ],
      }),
    )
    await other.ask('first')
    await other.ask('second')
    expect(await other.result()).toBe('From the other.')
  })

  test('[N86] makes room once per step, also where more could go', async () => {
    let isFull = false
    const answer: Answering = (prompt) => {
      if (isSummaryRequest(prompt)) return { text: 'Short.' }
      if (isFull) throw new ModelError('overflow', 'Too long.')
      return { text: 'ok '.repeat(200), tokens: tokensIn(prompt) }
    }
    const it = new LoopWorld(reader(answer, { limits: { windowTokens: 100_000 } }))
    for (let n = 1; n <= 12; n++) await it.ask(`turn ${n} ${'word '.repeat(100)}`)
    isFull = true
    await it.ask('last')
    expect((await it.payloads('turn_end')).at(-1)).toMatchObject({ status: 'failed', stop_reason: 'model_overflow' })
    expect(await it.payloads('context_compacted')).toHaveLength(1)
  })

  test('[N86] with nothing that could go fails the turn at once', async () => {
    let count = 0
    const it = new LoopWorld(
      reader(() => {
        count += 1
        throw new ModelError('overflow', 'Too long.')
      }),
    )
    await it.ask('only')
    expect((await it.payloads('turn_end')).at(-1)).toMatchObject({ status: 'failed', stop_reason: 'model_overflow' })
    expect([count, await it.payloads('context_compacted')]).toEqual([1, []])
  })
})

test('[N87] a branch before a cut sees everything, and one behind it the summary; an edit takes the cut back', async () => {
  const { answer, requests } = recorded(readerOf(0))
  const it = new LoopWorld(reader(answer))
  for (let n = 1; n <= 4; n++) await it.ask(`KEEP(fact${n}) ${'word '.repeat(780)}`)
  const events = await it.events()
  const cut = events.find(({ type }) => type === 'context_compacted')!
  const third = events.filter(({ type }) => type === 'turn_end')[2]!
  expect(cut.seq).toBeGreaterThan(third.seq)
  const uncut = { role: 'user', content: [{ text: expect.stringMatching(/^KEEP\(fact1\)/) }] }
  const isCut = { role: 'user', content: [{ text: expect.stringMatching(/^\[The older part/) }] }

  for (const [id, seq, first] of [
    ['before', third.seq, uncut],
    ['behind', cut.seq, isCut],
    ['end', events.at(-1)!.seq, isCut],
  ] as const) {
    await it.host.branch(keyOf(), seq, id, { prompt: 'Which facts?' })
    await it.quiet()
    expect([id, requests.at(-1)?.[0]]).toMatchObject([id, first])
    const known = id === 'before' ? 'I know fact1 fact2 fact3.' : 'I know fact1 fact2 fact3 fact4.'
    expect([id, await it.result(keyOf(id))]).toEqual([id, known])
  }

  const { messages } = (await it.host.open(keyOf())).state.conversation
  const fourth = messages.findLast(({ role }) => role === 'user')!
  await it.send({ type: 'edit', messageId: fourth.id, prompt: 'Which facts?' })
  await it.quiet()
  expect(requests.at(-1)?.[0]).toMatchObject(uncut)
  expect(await it.result()).toBe('I know fact1 fact2 fact3.')
  // The same in a process that reads the log anew.
  const next = await it.again()
  await next.ask('And now?')
  expect(requests.at(-1)?.[0]).toMatchObject(uncut)
})
