// The largest command: the log keeps every character of it for ever.
import { type Command, type Refusal, refuse } from '../commands.ts'
import { isDeeperThan, isJsonObject, ownProperty } from '../json.ts'
import { DEPTH_MAX, PAYLOAD_CHARS_MAX } from '../limits.ts'

/** Refuses a command that is too large or too deep; the refusal names the prompt if that is most of it. */
export const sizeRefusal = (command: Command): Refusal | null => {
  if (UNMEASURED.has(command.type)) return null
  const isTooLarge = isDeeperThan(command, DEPTH_MAX) || (isLong(command) && isLong(withTextOnce(command)))
  if (!isTooLarge) return null
  const prompt = 'prompt' in command ? (command.prompt ?? '') : ''
  return refuse(prompt.length > PAYLOAD_CHARS_MAX / 2 ? 'prompt_too_long' : 'too_large')
}

/** Audio comes from the server itself, in chunks that every store accepts, and an import was measured event by event. */
const UNMEASURED: ReadonlySet<Command['type']> = new Set(['tick', 'report', 'keep_audio', 'import'])

const isLong = (command: Command): boolean => JSON.stringify(command).length > PAYLOAD_CHARS_MAX

/** The input repeats the body of a request, prompt included: count the prompt once, as the caller sent it. */
const withTextOnce = (command: Command): Command => {
  if (!('input' in command) || !isJsonObject(command.input)) return command
  const { prompt, input } = command
  const isRepeated = ownProperty(input, 'prompt') === prompt || JSON.stringify(input) === prompt
  return isRepeated ? { ...command, prompt: '' } : command
}
