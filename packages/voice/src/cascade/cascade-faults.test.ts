// Services that fail: one clear fault, nothing lost in the log, and others unharmed.
import { describe, expect, test } from 'vitest'
import { cascadeWorld, script } from './cascade-world.suite.ts'
import { noAnswer, type Reply, speech } from './services/speech-stub.suite.ts'

const page = () => new Response('<html>Sign in</html>', { headers: { 'content-type': 'text/html' } })
const refused = (status: number, message: string) => () => Response.json({ error: { message } }, { status })
const lost = () => Promise.reject(new TypeError('fetch failed'))
/** Some audio, and then nothing. */
const stalled = () =>
  new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(4_800)) }), {
    headers: { 'content-type': 'audio/pcm' },
  })
const broken = () =>
  new Response(
    new ReadableStream({
      start: (controller) => {
        controller.enqueue(new Uint8Array(4_800))
        controller.error(new Error('reset'))
      },
    }),
    { headers: { 'content-type': 'audio/pcm' } },
  )

/** A name, the replies, and the code of the fault. */
type Failure = readonly [name: string, replies: readonly Reply[], code: string]

const everyService = (key: string): readonly Failure[] => [
  ['a key that is refused', [refused(401, `Incorrect key ${key}`)], 'provider_key'],
  ['a model that does not exist', [refused(404, 'No such model')], 'provider_model'],
  ['a request that is refused', [refused(400, 'No such voice')], 'provider_refused'],
  [
    'a redirection',
    [() => new Response(null, { status: 302, headers: { location: 'http://other/' } })],
    'provider_refused',
  ],
  ['a service that fails twice', [refused(500, 'x'), refused(503, 'x')], 'provider_failed'],
  ['a service that is busy', [refused(429, 'x'), refused(429, 'x')], 'provider_busy'],
  ['no service', [lost, lost], 'provider_lost'],
  ['an HTML page', [page], 'provider_answer'],
  ['no answer', [noAnswer], 'provider_timeout'],
]

describe('[V66] a service that hears and answers with', () => {
  test.each<Failure>([
    ...everyService('stt-key'),
    ['garbage', [() => new Response('\u0000\u0001{{')], 'provider_answer'],
    ['another object', [() => Response.json({ words: 'hello' })], 'provider_answer'],
    ['a list', [() => Response.json(['hello'])], 'provider_answer'],
    ['an endless text', [() => Response.json({ text: 'x'.repeat(1_000_000) })], 'provider_answer'],
  ])('%s', async (_name, replies, code) => {
    const world = cascadeWorld()
    world.stub.transcript = () => script({ text: 'Fine.' })
    const [a, b] = [await world.open('a'), await world.open('b')]
    world.stub.transcriptionReplies.push(...replies)
    await a.speak()
    await world.pass(1_000)
    await b.speak()
    await world.pass(31_000)
    expect(a.client.codes).toEqual([code])
    expect(a.client.faults[0]).toMatchObject({ isFinal: false })
    expect(a.client.faults[0]?.message).not.toMatch(/stt-key|tts-key/)
    expect(a.messages()).toEqual([])
    // The other session is spoken with meanwhile, and this one afterwards.
    await a.speak()
    await world.pass(1_000)
    for (const { messages } of [a, b]) expect(messages().at(-1)).toEqual(['assistant', 'Fine.'])
    expect(b.client.faults).toEqual([])
  })

  test('a passing failure is asked once more, and nobody notices', async () => {
    const world = cascadeWorld()
    world.stub.transcript = () => script({ text: 'Fine.' })
    const { speak, client, messages } = await world.open('a')
    world.stub.transcriptionReplies.push(refused(502, 'x'))
    world.stub.speechReplies.push(lost)
    await speak()
    await world.pass(1_000)
    await world.pass(1_000)
    expect([client.faults, messages().at(-1), client.items.length]).toEqual([[], ['assistant', 'Fine.'], 1])
  })
})

describe('[V66] a service that speaks and answers with', () => {
  test.each<Failure>([
    ...everyService('tts-key'),
    ['JSON', [() => Response.json({ audio: 'AAAA' })], 'provider_answer'],
    ['a WAV file', [() => new Response('RIFF....WAVE')], 'provider_answer'],
    ['an MP3 file', [() => speech(100, 480, 'audio/mpeg')], 'provider_answer'],
    ['no audio', [() => new Response(new Uint8Array(0))], 'provider_answer'],
    ['too much audio', [() => speech(60_000, 96_000)], 'provider_answer'],
    ['audio that stops coming', [stalled], 'provider_timeout'],
    ['audio that breaks off', [broken], 'provider_lost'],
  ])('%s', async (_name, replies, code) => {
    const world = cascadeWorld()
    const text = 'One is here. Two is here. Three is here.'
    world.stub.transcript = () => script({ text })
    const [a, b] = [await world.open('a'), await world.open('b')]
    world.stub.speechReplies.push(...replies)
    await a.speak()
    await world.pass(16_000)
    await b.speak()
    await world.pass(1_000)
    expect(a.client.codes).toEqual([code])
    expect(a.client.faults[0]?.message).not.toMatch(/stt-key|tts-key/)
    // The rest of the answer would fail in the same way: it is read in the log.
    expect(world.stub.words.filter((words) => words === 'Two is here.')).toHaveLength(1)
    for (const { messages } of [a, b]) expect(messages().at(-1)).toEqual(['assistant', text])
    await a.speak()
    await world.pass(1_000)
    expect(a.client.codes).toEqual([code])
    expect(a.client.items.at(-1)?.ms).toBeCloseTo(b.client.items.at(-1)?.ms ?? 0)
    expect(b.client.faults).toEqual([])
    await world.numbersAreDense('a')
  })
})

test('[V67] a prompt that the session refuses, or cannot keep, is one fault', async () => {
  const world = cascadeWorld()
  world.stub.transcript = () => 'x'.repeat(200_000)
  const { line, client, session } = await world.open('a')
  await line.say('  ')
  expect(client.codes).toEqual(['prompt_empty'])
  session.drop(new Error('gone'))
  await world.host.stop()
  await line.say('hello')
  expect(client.codes.slice(0, 2)).toEqual(['prompt_empty', 'unavailable'])
})

test('[V67] speech that is written down late is a prompt ahead of the speech behind it', async () => {
  const { open, stub, pass } = cascadeWorld()
  const late = Promise.withResolvers<Response>()
  const [first, second] = [script({ text: 'One.' }), script({ text: 'Two.' })]
  stub.transcriptionReplies.push(
    () => late.promise,
    () => Response.json({ text: second }),
  )
  const { speak, messages, client } = await open('a')
  await speak()
  await speak()
  expect(messages()).toEqual([])
  late.resolve(Response.json({ text: first }))
  await pass(5_000)
  expect(messages().flatMap(([role, content]) => (role === 'user' ? [content] : []))).toEqual([first, second])
  expect(client.faults).toEqual([])
})
