// A model that answers at once, and fifty tools that do next to nothing: the rest of a step's time belongs to the loop around them.

import type { LanguageModel, ModelCallOptions, ModelStream } from '@bridle/agents/model/model'
import * as z from 'zod'

const TOOLS = 50
/** Steps between two looks at the processor time. */
export const CPU_STEPS = 200
const ANSWER = 'The files are read, the report is written, and nothing else was changed.'.split(' ')

/** Calls one tool per step; the last step of a turn answers in text, word by word. */
export class InstantModel implements LanguageModel {
  readonly specificationVersion = 'v4'
  readonly provider = 'bench'
  readonly modelId = 'instant'
  readonly supportedUrls = {}
  /** When the model was asked, in milliseconds. */
  askedAt: number[] = []
  /** The processor time of this process at every 200th request, in microseconds. To ask for it costs too much for each. */
  askedCpu: number[] = []
  /** The messages and tools of the last request. */
  lastRequest = { messages: 0, tools: 0 }
  #stepsLeft = 0
  #calls = 0

  /** The next turn has this many steps. */
  beginTurn(steps: number): void {
    this.#stepsLeft = steps
    this.askedAt = []
    this.askedCpu = []
  }

  async doStream({ prompt, tools = [] }: ModelCallOptions): Promise<ModelStream> {
    this.askedAt.push(performance.now())
    if (this.askedAt.length % CPU_STEPS === 1) {
      const { user, system } = process.cpuUsage()
      this.askedCpu.push(user + system)
    }
    this.lastRequest = { messages: prompt.length, tools: tools.length }
    this.#stepsLeft -= 1
    const parts = this.#stepsLeft > 0 ? this.#callParts() : textParts
    return {
      stream: new ReadableStream({
        start: (controller) => {
          for (const part of parts) controller.enqueue(part)
          controller.close()
        },
      }),
    }
  }

  #callParts(): readonly ModelStreamPart[] {
    const call = this.#calls++
    const id = `call-${call}`
    const toolName = toolNames[call % TOOLS]
    const input = JSON.stringify({ path: `src/file-${call}.ts`, line: call, note: 'look for the function' })
    const deltas = [input.slice(0, 20), input.slice(20, 40), input.slice(40)]
    return [
      { type: 'stream-start', warnings: [] },
      { type: 'tool-input-start', id, toolName },
      ...deltas.map((delta) => ({ type: 'tool-input-delta', id, delta })),
      { type: 'tool-input-end', id },
      { type: 'tool-call', toolCallId: id, toolName, input },
      finish('tool-calls'),
    ]
  }
}

interface ModelStreamPart {
  readonly type: string
  readonly [name: string]: unknown
}

const finish = (unified: string): ModelStreamPart => ({
  type: 'finish',
  finishReason: { unified, raw: unified },
  usage: {
    inputTokens: { total: 1_000, noCache: 100, cacheRead: 900, cacheWrite: 0 },
    outputTokens: { total: 50, text: 50, reasoning: 0 },
  },
})

const textParts: readonly ModelStreamPart[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '0' },
  ...ANSWER.map((word) => ({ type: 'text-delta', id: '0', delta: `${word} ` })),
  { type: 'text-end', id: '0' },
  finish('stop'),
]

/** The text of every answer. */
export const answerText = ANSWER.map((word) => `${word} `).join('')

export const toolNames = Array.from({ length: TOOLS }, (_, index) => `read_part_${index}`)
export const toolDescription =
  'Reads a part of a file around a line, and returns its lines with the name of the function that they belong to.'
/** A schema for each tool, as an author writes them. Both loops get the same ones. */
export const toolInputs = toolNames.map(() =>
  z.object({ path: z.string(), line: z.number(), note: z.string().optional() }),
)

/** The work of every tool. */
export const readPart = ({ path, line }: z.infer<(typeof toolInputs)[number]>) => ({
  path,
  line,
  lines: ['const answer = 42', 'export const question = () => answer', '// the end of the file'],
})
