// What a run is asked: put together from flags, files and standard input, later ones over earlier ones.
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { EXIT, Stop } from '../command.ts'

export interface InputFlags {
  readonly payload?: string
  readonly 'payload-file'?: string
  readonly stdin?: boolean
  readonly set?: readonly string[]
}

export type Input = { readonly [name: string]: JsonValue }
type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [name: string]: JsonValue }

/** --payload, then --payload-file, then --stdin, then --set in order, then the prompt. */
export const runInput = async (prompt: string | undefined, flags: InputFlags): Promise<Input> => {
  const file = flags['payload-file']
  return {
    ...(flags.payload !== undefined && parseObject('--payload', flags.payload)),
    ...(file !== undefined && parseObject(file, readPayload(file))),
    ...(flags.stdin && parseObject('standard input', await text(process.stdin))),
    ...Object.fromEntries((flags.set ?? []).map(parseSetting)),
    ...(prompt !== undefined && { prompt }),
  }
}

export const parseObject = (where: string, json: string): Input => {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    throw new Stop(EXIT.usage, `${where} is not JSON: ${error instanceof Error ? error.message : error}`)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Input
  throw new Stop(EXIT.usage, `${where} is not a JSON object.`)
}

/** `count=3` is a number, `name=Ann` a text: JSON where it is JSON. */
const parseSetting = (setting: string): [string, JsonValue] => {
  const at = setting.indexOf('=')
  if (at < 1) throw new Stop(EXIT.usage, `--set ${setting} is not key=value.`)
  const value = setting.slice(at + 1)
  try {
    return [setting.slice(0, at), JSON.parse(value) as JsonValue]
  } catch {
    return [setting.slice(0, at), value]
  }
}

const readPayload = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Stop(EXIT.usage, `${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}
