// A provider that fails behind the real Claude Code: `run`, `attach` and `dev` say so while it happens. The provider answers only once
// the lines were seen. It tells the engine to wait before it asks again, since the engine gives up after a few tries.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  type AnthropicStub,
  type AnthropicStubRequest,
  conversation,
  type StubTurn,
  startAnthropicStub,
} from '@bridle/runners/engines/claude/anthropic-stub.suite'
import { endSandboxes, engineEnv, noEngines } from '@bridle/runners/engines/engines.suite'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { needs } from '../../../../scripts/needs.ts'
import { isThorough } from '../../../../scripts/variants.ts'
import { type CliProcess, CliWorkspace } from '../cli.suite.ts'

// Engines start in sandboxes, each in processes of its own, and the machine may be busy.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 })

const noWalls = needs('bubblewrap')
describe.skipIf(!isThorough || (noEngines ?? noWalls))('[C124] [H100] a provider that fails for a while', () => {
  let stub: AnthropicStub
  let work: CliWorkspace
  let dev: CliProcess
  /** Prompts that the provider answers from now on. */
  const answered = new Set<string>()
  const faults: { readonly [prompt: string]: StubTurn } = {
    apples: { status: 529, errorType: 'overloaded_error', message: 'Overloaded', retryAfter: 15 },
    berries: { status: 502, message: 'Bad gateway', retryAfter: 15 },
  }
  const turnOf = ({ body, isAux }: AnthropicStubRequest): StubTurn | undefined => {
    if (isAux) return undefined
    const { text } = conversation(body.messages ?? [])
    const prompt = ['apples', 'berries', 'cherries', 'dates'].find((each) => text.includes(`about ${each}`)) ?? ''
    const fault = answered.has(prompt) ? undefined : faults[prompt]
    return fault ?? { blocks: [{ text: `All about ${prompt}.` }] }
  }

  beforeAll(async () => {
    stub = await startAnthropicStub(turnOf)
    work = new CliWorkspace({ ...engineEnv(), ANTHROPIC_API_KEY: 'sk-stub', ANTHROPIC_BASE_URL: stub.url })
    mkdirSync(join(work.folder, 'agents'))
    dev = work.start(['dev', '--port', '0', '--data', 'data'])
    work.url = (await dev.until((line) => line.includes('ready at'))).split(' ').at(-1) ?? ''
  })
  afterAll(async () => {
    if (work) endSandboxes(join(work.folder, 'data'))
    await work?.remove()
    await stub?.close()
  })

  /** The places of the first line that has each of these texts, which are in this order. */
  const expectOrder = ({ lines }: CliProcess, texts: readonly RegExp[]) => {
    const places = texts.map((text) => lines.findIndex((line) => text.test(line)))
    expect([texts, places, lines]).toEqual([texts, places.toSorted((one, other) => one - other), lines])
    expect([places.includes(-1), texts, lines]).toEqual([false, texts, lines])
  }
  const seen = (child: CliProcess, text: RegExp) => child.until((line) => text.test(line))

  test('each terminal shows its own session, from the start of the sandbox to the answer', async () => {
    const apples = work.start(['run', 'claude', 'Tell me about apples', '--id', 'one', '--text'])
    const berries = work.start(['run', 'claude', 'Tell me about berries', '--id', 'two', '--text'])
    const cherries = work.start(['run', 'claude', 'Tell me about cherries', '--id', 'three', '--text'])
    await seen(apples, /529, trying again/)
    const watcher = work.start(['attach', 'one', '--text'])
    const dates = work.start(['run', 'claude', 'Tell me about dates', '--id', 'one', '--text'])
    await Promise.all([
      seen(watcher, /529, trying again/),
      seen(dates, /queued behind 1 run/),
      seen(berries, /502, trying again/),
      seen(dev, /claude {2}one {2}.*529, trying again/),
      seen(dev, /claude {2}two {2}.*502, trying again/),
      seen(dev, /claude {2}one {2}queued behind 1 run/),
      seen(dev, /claude {2}three {2}completed/),
    ])
    // Nobody has an answer yet, so the lines came while it happened.
    for (const child of [apples, berries, dates, watcher])
      expect(child.lines.some((line) => line.includes('All about'))).toBe(false)
    for (const prompt of ['apples', 'berries']) answered.add(prompt)
    const ended = await Promise.all([apples, berries, cherries, dates].map((child) => child.ended))
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0])
    await seen(watcher, /All about dates\./)
    await seen(dev, /claude {2}two {2}completed/)

    const sandbox = /starting in the sandbox bubblewrap/
    expectOrder(apples, [sandbox, /nthropic: 529, trying again.*, try 2/, /All about apples\./])
    expectOrder(berries, [sandbox, /nthropic: not reached, 502, trying again.*, 1 of \d+/, /All about berries\./])
    expectOrder(cherries, [sandbox, /All about cherries\./])
    expectOrder(dates, [/queued behind 1 run/, /All about dates\./])
    expectOrder(watcher, [sandbox, /529, trying again/, /All about apples\./, /All about dates\./])
    const ofOne = [sandbox, /529, trying again.*, try 2/, /completed/].map(
      (text) => new RegExp(`claude {2}one {2}.*${text.source}`),
    )
    expectOrder(dev, ofOne)
    // A run shows its own session alone.
    expect(cherries.lines.some((line) => /529|502|queued/.test(line))).toBe(false)
    expect(berries.lines.some((line) => /529|queued/.test(line))).toBe(false)
  })
})
