// `streamText` of the AI SDK with the same model and the same tools: a loop that keeps nothing.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fetchPinned } from '../scripts/pinned-tools.ts'
import { answerText, type InstantModel, readPart, toolDescription, toolInputs, toolNames } from './agent-model.ts'
import { reportSkippedRival } from './fetched.ts'

/** Runs one turn of so many steps. True where the answer is as the model gave it. */
export type TurnRunner = (model: InstantModel, steps: number) => Promise<boolean>

/** Null where the package cannot be fetched; the reason is printed. */
export const streamTextTurns = (): TurnRunner | null => {
  const fetched = fetchPinned('bench/ai-sdk', 'ai-sdk')
  if ('missing' in fetched) {
    reportSkippedRival('ai', new Error(fetched.missing))
    return null
  }
  const { streamText, tool, stepCountIs } = createRequire(join(fetched.folder, 'from.js'))('ai') as AiModule
  const tools = Object.fromEntries(
    toolNames.map((name, index) => [
      name,
      tool({ description: toolDescription, inputSchema: toolInputs[index], execute: readPart }),
    ]),
  )
  return async (model, steps) => {
    model.beginTurn(steps)
    const { fullStream } = streamText({
      model,
      tools,
      system: INSTRUCTIONS,
      prompt: PROMPT,
      stopWhen: stepCountIs(steps),
    })
    let text = ''
    for await (const part of fullStream) if (part.type === 'text-delta') text += part.text
    return text === answerText
  }
}

export const INSTRUCTIONS = 'You read files and write reports about them. Call tools until you know enough.'
export const PROMPT = 'Read the files and write the report.'

interface AiModule {
  streamText(options: object): { fullStream: AsyncIterable<{ type: string; text?: string }> }
  tool(options: object): object
  stepCountIs(steps: number): object
}
