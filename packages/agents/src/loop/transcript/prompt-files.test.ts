// Files of prompts, as models of both versions get them.

import type { Json } from '@bridle/events/json'
import { describe, expect, test } from 'vitest'
import { agent } from '../../agent.ts'
import type { LanguageModel, ModelMessage } from '../../model/model.ts'
import { tool } from '../../tools/tool.ts'
import { keyOf, LoopWorld, stubModel } from '../loop.suite.ts'
import { FILE_TEXT_CHARS_MAX } from './prompt-files.ts'

const files = new Map<string, Uint8Array>([
  ['f1', new TextEncoder().encode('zwölf\n')],
  ['f2', Uint8Array.from([137, 80, 78, 71, 0, 255])],
  ['f3', Uint8Array.from([1])],
  ['f4', new TextEncoder().encode('x'.repeat(FILE_TEXT_CHARS_MAX + 1))],
])
const uploads = { read: async (id: string) => files.get(id) ?? null }

const referenceOf = (ref_id: string, mime_type: string, filename?: string) => ({
  ref_id,
  mime_type,
  size_bytes: files.get(ref_id)?.byteLength ?? 0,
  ...(filename !== undefined && { filename }),
})
const text = referenceOf('f1', 'text/plain; charset=utf-8', 'a.txt')
const image = referenceOf('f2', 'image/png', 'b.png')

/** The prompts that the model got, in their order. */
const worldOf = (specificationVersion: 'v3' | 'v4', replies: readonly Parameters<typeof stubModel>[0][] = []) => {
  const prompts: ModelMessage[][] = []
  const stub = stubModel((prompt, options) => {
    prompts.push([...prompt])
    return replies[prompts.length - 1]?.(prompt, options) ?? { text: 'Seen.' }
  })
  const model: LanguageModel = { ...stub, specificationVersion }
  const look = tool({ name: 'look', description: 'Looks.', effect: 'pure', run: () => 'nothing' })
  const definition = agent({ name: 'tested', model, tools: [look] })
  const world = new LoopWorld(definition, undefined, undefined, uploads)
  return { world, prompts }
}

const submit = async (world: LoopWorld, prompt: string, input: Json) => {
  await world.send({ type: 'submit', prompt, input }, keyOf())
  await world.quiet()
}

/** The parts behind the prompt and its input. */
const filesOf = (messages: readonly ModelMessage[] | undefined, index = 0) => {
  const message = messages?.filter(({ role }) => role === 'user')[index]
  return message?.role === 'user' ? message.content.slice(2) : null
}

describe('[OH62] a model agent', () => {
  test.each(['v3', 'v4'] as const)('gets a text as text and an image as a file, in version %s', async (version) => {
    const { world, prompts } = worldOf(version)
    const attachments = [text, { asset_id: 'logo' }, image]
    await submit(world, 'Look.', { prompt: 'Look.', openharness: { attachments } })
    const bytes = files.get('f2')
    expect(filesOf(prompts[0])).toEqual([
      { type: 'text', text: '[File "a.txt" (text/plain; charset=utf-8)]\nzwölf\n' },
      {
        type: 'file',
        mediaType: 'image/png',
        filename: 'b.png',
        data: version === 'v3' ? bytes : { type: 'data', data: bytes },
      },
    ])
  })
  test('learns of files that cannot be shown, are gone, or are too long', async () => {
    const { world, prompts } = worldOf('v3')
    const attachments = [
      referenceOf('f3', 'application/zip'),
      referenceOf('gone', 'image/png'),
      referenceOf('f4', 'text/csv'),
    ]
    await submit(world, 'Look.', { prompt: 'Look.', attachments })
    const [zip, gone, long] = (filesOf(prompts[0]) ?? []).map((part) => (part.type === 'text' ? part.text : ''))
    expect(zip).toBe('[The file "f3" (application/zip) came with the prompt. Its type cannot be shown here.]')
    expect(gone).toBe('[The file "gone" (image/png) can no longer be read.]')
    expect(long).toContain(`[The rest of the file is left out: it has ${FILE_TEXT_CHARS_MAX + 1} characters.]`)
  })
  test('[OH108] gets the files of a steering prompt behind it, and the same ever after', async () => {
    const steer = async () => {
      const input = { prompt: 'And this.', attachments: [image, text] }
      await world.send({ type: 'steer', prompt: 'And this.', input }, keyOf())
      return { calls: [['look', {}]] as [string, object][] }
    }
    const { world, prompts } = worldOf('v4', [steer])
    await submit(world, 'First.', { prompt: 'First.', attachments: [text] })
    await submit(world, 'Bare.', { prompt: 'Bare.' })
    const steered = prompts.slice(1).map((messages) => messages.filter(({ role }) => role === 'user')[1]?.content)
    expect(steered).toHaveLength(2)
    expect(steered[0]).toEqual([
      { type: 'text', text: 'And this.' },
      { type: 'file', mediaType: 'image/png', filename: 'b.png', data: { type: 'data', data: files.get('f2') } },
      { type: 'text', text: '[File "a.txt" (text/plain; charset=utf-8)]\nzwölf\n' },
    ])
    expect(steered[1]).toEqual(steered[0])
  })
  test('gets the same bytes in every step, in later turns, and in another process', async () => {
    const never = () => new Promise<never>(() => {})
    const { world, prompts } = worldOf('v4', [() => ({ calls: [['look', {}]] }), () => ({ text: 'Seen.' }), never])
    await submit(world, 'First.', { prompt: 'First.', attachments: [image, text] })
    await submit(world, 'Second.', { prompt: 'Second.', attachments: [text] })
    const next = await world.again()
    expect((await next.payloads('turn_end')).map(({ status }) => status)).toEqual(['completed', 'completed'])
    expect(prompts).toHaveLength(4)
    expect(prompts.slice(1).map((each) => filesOf(each))).toEqual(prompts.slice(1).map(() => filesOf(prompts[0])))
    expect(prompts[3]).toEqual(prompts[2])
    expect(filesOf(prompts[3], 1)).toHaveLength(1)
  })
})
