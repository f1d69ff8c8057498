import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { isJsonObject, present } from '@bridle/events/json'
import { tryOr } from '@bridle/kernel/try-or'
import { usageError } from '../command/command.ts'

export interface RunInputFlags {
  readonly payload?: string
  readonly 'payload-file'?: string
  readonly stdin?: boolean
  readonly set?: readonly string[]
  readonly model?: string
  readonly effort?: string
}

export type RunPayload = { readonly [name: string]: PayloadValue }
type PayloadValue =
  | null
  | boolean
  | number
  | string
  | readonly PayloadValue[]
  | { readonly [name: string]: PayloadValue }

/** In order: --payload, --payload-file, --stdin, --set, --model and --effort, prompt. */
export const readRunInput = async (prompt: string | undefined, flags: RunInputFlags): Promise<RunPayload> => {
  const file = flags['payload-file']
  return {
    ...(flags.payload !== undefined && parseJsonObject('--payload', flags.payload)),
    ...(file !== undefined && parseJsonObject(file, readPayload(file))),
    ...(flags.stdin && parseJsonObject('standard input', await text(process.stdin))),
    ...Object.fromEntries((flags.set ?? []).map(parseSetting)),
    ...present({ model: flags.model, effort: flags.effort, prompt }),
  }
}

export const parseJson = (where: string, json: string): PayloadValue => {
  try {
    return JSON.parse(json) as PayloadValue
  } catch (error) {
    throw usageError(`${where} is not JSON: ${error instanceof Error ? error.message : error}.`)
  }
}

export const parseJsonObject = (where: string, json: string): RunPayload => {
  const value = parseJson(where, json)
  if (isJsonObject(value)) return value
  throw usageError(`${where} is not a JSON object.`)
}

/** Parses values as JSON if valid: `count=3` is a number, `name=Ann` a string. */
const parseSetting = (setting: string): [string, PayloadValue] => {
  const at = setting.indexOf('=')
  if (at < 1) throw usageError(`--set ${setting} is not key=value.`)
  const value = setting.slice(at + 1)
  return tryOr([setting.slice(0, at), value], () => [setting.slice(0, at), JSON.parse(value) as PayloadValue])
}

const readPayload = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw usageError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}
