// More tools than a model is offered: the same selection for a whole turn, searches that hold for the session, and large results.
import { expect, test } from 'vitest'
import { agent } from '../agent.ts'
import type { ModelCallOptions, ModelMessage } from '../model/model.ts'
import { tool } from '../tools/tool.ts'
import { type Answering, keyOf, LoopWorld, lastResults, lastText, stubModel } from './loop.suite.ts'
import { manyTools } from './selection/many-tools.suite.ts'

const namesOf = ({ tools = [] }: ModelCallOptions) => tools.map(({ name }) => name)
const promptOf = (prompt: readonly ModelMessage[]) => lastText(prompt).split('|').at(-1) ?? ''

/** Calls the tools that the prompt names behind a colon, or its script, one answer for each; a word with `?` is a search. */
const following =
  (offers: string[][], scripts: Readonly<Record<string, string>>): Answering =>
  (prompt, options) => {
    offers.push(namesOf(options))
    const at = prompt.findLastIndex(({ role }) => role === 'user')
    const asked = promptOf(prompt.slice(0, at + 1))
    const steps = (scripts[asked] ?? asked.split(': ')[1] ?? '').split(' ').filter(Boolean)
    const next = steps[prompt.slice(at).filter(({ role }) => role === 'assistant').length]
    if (next === undefined) return { text: 'Done.' }
    return { calls: [next.startsWith('?') ? ['find_tools', { query: next.slice(1) }] : [next, {}]] }
  }

const clerk = (offers: string[][], more: object = {}, scripts: Readonly<Record<string, string>> = {}) =>
  agent({ name: 'tested', model: stubModel(following(offers, scripts)), tools: manyTools(), ...more })

test('[N102] a turn offers 25 of 200 tools, names them in the log, and keeps them for all of its steps', async () => {
  const offers: string[][] = []
  const it = new LoopWorld(clerk(offers))
  const keys = [keyOf('a'), keyOf('b'), keyOf('c')]
  for (const key of keys) {
    offers.length = 0
    await it.ask('will it rain in Rome: weather_forecast weather_forecast', key)
    const [offer, ...others] = await it.payloads('turn_start_tools', key)
    expect(others).toEqual([])
    expect(offer).toMatchObject({ of: 201, tools: expect.arrayContaining(['find_tools', 'weather_forecast']) })
    expect(offers).toEqual([offer?.tools, offer?.tools, offer?.tools])
    expect(offer?.tools).toHaveLength(25)
    await it.ask('refund the payment', key)
    expect((await it.payloads('turn_start_tools', key)).at(-1)?.tools).toContain('stripe_refund_payment')
  }
})

test('[N102] after a crash the turn goes on with the tools of the log', async () => {
  const offers: string[][] = []
  let hangs = true
  const pause = tool({
    ...{ name: 'pause', description: 'Waits.', effect: 'pure', always: true },
    run: () => (hangs ? new Promise<never>(() => {}) : 'waited'),
  })
  const before = new LoopWorld(clerk(offers, { tools: [...manyTools(), pause] }))
  await before.submit('what about the weather: pause')
  await before.quiet()
  hangs = false
  // The next process has other tools as well: they are offered from the next turn on.
  const weather = tool({ name: 'weather_now', description: 'The weather now.', run: () => 'sun' })
  const it = await before.again(clerk(offers, { tools: [weather, ...manyTools(), pause] }))
  expect(await it.payloads('turn_end')).toMatchObject([{ status: 'completed' }])
  expect(offers).toHaveLength(2)
  expect(offers[1]).toEqual(offers[0])
  await it.ask('and the weather now?')
  expect(offers[2]).toContain('weather_now')
})

test('[N103] a search adds five tools at the end, for the session, over restarts and in branches', async () => {
  const offers: string[][] = []
  let it = new LoopWorld(clerk(offers, {}, { good_morning: '?pods_of_kubernetes kubernetes_list_pods' }))
  await it.ask('good_morning')
  const [first = [], second = [], third] = offers
  expect(second.slice(0, first.length)).toEqual(first)
  expect(second.length).toBe(first.length + 5)
  expect(second).toContain('kubernetes_list_pods')
  expect(third).toEqual(second)
  const found = second.slice(first.length)
  expect((await it.payloads('turn_start_tools')).at(-1)).toMatchObject({ tools: second, found })
  expect(await it.payloads('tool_selected')).toEqual([
    {
      ...{ tool_call_id: 'r-2.2.1', tool_name: 'kubernetes_list_pods', by: 'find_tools', of: 201 },
      rank: found.indexOf('kubernetes_list_pods') + 1,
      reason: 'The model found it with find_tools.',
    },
  ])
  it = await it.again()
  offers.length = 0
  await it.ask('something else')
  expect(offers[0]?.slice(-found.length)).toEqual(found)
  const { seq } = (await it.events()).at(-1) ?? { seq: 0 }
  await it.host.branch(keyOf(), seq, 'branch', { prompt: 'elsewhere' })
  await it.quiet()
  expect(offers.at(-1)?.slice(-found.length)).toEqual(found)
  await it.ask('hello', keyOf('other'))
  expect(offers.at(-1)).not.toContain('kubernetes_list_pods')
})

test('[N103] a call of a chosen tool says its rank and why; one that is always offered says nothing', async () => {
  const core = tool({ name: 'core', description: 'Is always there.', effect: 'pure', always: true, run: () => 'ok' })
  const it = new LoopWorld(clerk([], { tools: [core, ...manyTools()] }))
  await it.ask('please translate this text: translate_text core ?nothing')
  expect(await it.payloads('tool_selected')).toMatchObject([
    { tool_name: 'translate_text', by: 'relevance', rank: 1, of: 202, reason: expect.stringContaining('translat') },
  ])
  const write = it.log.appends.find(({ events }) => events.some(({ type }) => type === 'tool_selected'))
  expect(write?.events.map(({ type }) => type)).toContain('tool_call')
})

test('[N103] a search that finds nothing says so, and offers nothing', async () => {
  const offers: string[][] = []
  const it = new LoopWorld(clerk(offers))
  await it.ask('hello: ?xyzzy')
  expect(offers[1]).toEqual(offers[0])
  expect(await it.outcomes()).toEqual(['find_tools ok'])
  expect(await it.payloads('turn_start_tools')).toHaveLength(1)
})

test('[N102] up to 25 tools are all offered, and there is no search', async () => {
  const offers: string[][] = []
  const it = new LoopWorld(clerk(offers, { tools: manyTools().slice(0, 25) }))
  await it.ask('hello')
  expect(offers[0]).toHaveLength(25)
  expect(offers[0]).not.toContain('find_tools')
})

test('[N104] a large result can be read in pages, in this turn and in later ones', async () => {
  const offers: string[][] = []
  const pages: unknown[] = []
  const lines = Array.from({ length: 3_000 }, (_, line) => `line ${line + 1}`).join('\n')
  const long = tool({ name: 'long', description: 'Is long.', effect: 'pure', run: () => lines })
  let artifact = ''
  const requests = [{ from: 100, length: 6 }, { lines: '20-21' }, { lines: '2999-9999' }, { from: 99_999_999 }, {}]
  const answer: Answering = (prompt, options) => {
    offers.push(namesOf(options))
    const [result] = lastResults(prompt) ?? []
    if (promptOf(prompt) === 'go') return { calls: [['long', {}]] }
    artifact = /art-\w+/.exec(String(result))?.[0] ?? artifact
    if (result !== undefined && String(result).startsWith('[Characters')) pages.push(result)
    const page = requests[pages.length]
    return page === undefined ? { text: 'Done.' } : { calls: [['read_artifact', { artifact_id: artifact, ...page }]] }
  }
  const it = new LoopWorld(agent({ name: 'tested', model: stubModel(answer), tools: [long] }))
  await it.ask('go')
  expect(offers[0]).toEqual(['long'])
  expect(offers[1]).toEqual(['long', 'read_artifact'])
  expect(pages.slice(0, 4)).toEqual([
    `[Characters 100 to 106 of ${lines.length}. Continue with from: 106.]\n${lines.slice(100, 106)}`,
    expect.stringMatching(/^\[Characters 143 to 159 of \d+\. Continue with from: 159\.\]\nline 20\nline 21\n$/),
    `[Characters ${lines.length - 19} to ${lines.length} of ${lines.length}. This is the end.]\nline 2999\nline 3000`,
    `[Characters ${lines.length} to ${lines.length} of ${lines.length}. This is the end.]\n`,
  ])
  expect(String(pages[4]).length).toBeLessThan(8_100)
  expect(new Set(await it.outcomes())).toEqual(new Set(['long artifact', 'read_artifact ok']))
  const later = await it.again()
  await later.ask('again')
  expect(offers.at(-1)).toEqual(['long', 'read_artifact'])
  expect((await later.payloads('turn_start_tools')).at(-1)?.tools).toEqual(['long', 'read_artifact'])
})

test.each<[string, object, string]>([
  ['an unknown id', { artifact_id: 'art-none' }, 'read_artifact error'],
  ['no id', {}, 'read_artifact error arguments_invalid'],
  ['a strange page', { artifact_id: 'x', lines: '9-2' }, 'read_artifact error arguments_invalid'],
  ['a negative place', { artifact_id: 'x', from: -1 }, 'read_artifact error arguments_invalid'],
])('[N104] %s is told to the model', async (_name, args, outcome) => {
  const long = tool({ name: 'long', description: 'Is long.', effect: 'pure', run: () => 'x'.repeat(20_000) })
  const steps = (prompt: readonly ModelMessage[]) => prompt.filter(({ role }) => role === 'assistant').length
  const answer: Answering = (prompt) =>
    [{ calls: [['long', {}] as const] }, { calls: [['read_artifact', args] as const] }][steps(prompt)] ?? { text: 'ok' }
  const it = new LoopWorld(agent({ name: 'tested', model: stubModel(answer), tools: [long] }))
  await it.ask('go')
  expect(await it.outcomes()).toEqual(['long artifact', outcome])
})
