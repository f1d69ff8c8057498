// The core directive types and their payload fields. All other types are namespaced, with free payloads.
import type { JsonObject } from '@bridle/events/json'

export type CoreType = 'render_message' | 'render_ui' | 'simulate_action' | 'request_approval' | 'noop'

export const isCoreType = (type: string): type is CoreType => Object.hasOwn(PAYLOAD_FIELDS, type)

/** The first invalid payload field of a core type, or null. */
export const wrongPayloadField = (type: CoreType, payload: JsonObject): string | null => {
  for (const [name, kind] of Object.entries(PAYLOAD_FIELDS[type])) {
    const value = Object.hasOwn(payload, name) ? payload[name] : undefined
    if (value === undefined ? !kind.endsWith('?') : !FITS[kind](value)) return name
  }
  return null
}

export const payloadSchema = (type: CoreType): JsonObject => {
  const fields = Object.entries(PAYLOAD_FIELDS[type])
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, kind]) => [name, SCHEMAS[kind]])),
    required: fields.filter(([, kind]) => !kind.endsWith('?')).map(([name]) => name),
  }
}

type FieldKind = 'text' | 'text?' | 'text or null?' | 'list?' | 'any?'
const FITS: Record<FieldKind, (value: unknown) => boolean> = {
  text: (value) => typeof value === 'string',
  'text?': (value) => typeof value === 'string',
  'text or null?': (value) => value === null || typeof value === 'string',
  'list?': Array.isArray,
  'any?': () => true,
}
const SCHEMAS: Record<FieldKind, JsonObject> = {
  text: { type: 'string' },
  'text?': { type: 'string' },
  'text or null?': { type: ['string', 'null'] },
  'list?': { type: 'array' },
  'any?': {},
}

const PAYLOAD_FIELDS: Readonly<Record<CoreType, Readonly<Record<string, FieldKind>>>> = {
  render_message: { text: 'text' },
  render_ui: { component: 'text', data: 'any?' },
  simulate_action: { macro: 'text', target: 'text?' },
  request_approval: {
    message: 'text',
    tool: 'text?',
    arguments: 'any?',
    risk: 'text?',
    expires_at: 'text or null?',
    run_id: 'text?',
    continuation_token: 'text?',
    options: 'list?',
  },
  noop: {},
}
