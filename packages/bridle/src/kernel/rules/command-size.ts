// How large a command may be: every word of it is kept for ever.
import { type Command, type Refusal, refuse } from '../commands.ts'
import { isDeeperThan, type Json, type JsonObject, ownProperty } from '../json.ts'
import { DEPTH_MAX, PAYLOAD_CHARS_MAX } from '../limits.ts'

/** The refusal of a command that is too large or too deep; it names the prompt where that is most of it. */
export const sizeRefusal = (command: Command): Refusal | null => {
  if (command.type === 'tick' || command.type === 'report') return null
  const isTooLarge = isDeeperThan(command, DEPTH_MAX) || (isLong(command) && isLong(withTextOnce(command)))
  if (!isTooLarge) return null
  const prompt = 'prompt' in command ? (command.prompt ?? '') : ''
  return refuse(prompt.length > PAYLOAD_CHARS_MAX / 2 ? 'prompt_too_long' : 'too_large')
}

const isLong = (command: Command): boolean => JSON.stringify(command).length > PAYLOAD_CHARS_MAX

/** An input is the whole body of a request, with the prompt in it or spelled as the prompt: its caller sent that text once. */
const withTextOnce = (command: Command): Command => {
  if (command.type !== 'submit' || !isObject(command.input)) return command
  const { prompt, input } = command
  const isRepeated = ownProperty(input, 'prompt') === prompt || JSON.stringify(input) === prompt
  return isRepeated ? { ...command, prompt: '' } : command
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
