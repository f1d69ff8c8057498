import type { RealtimeProvider } from '../provider.ts'
import { OpenAIApi } from './api.ts'

export const openai: RealtimeProvider = {
  label: 'openai.realtime',
  keyVariable: 'OPENAI_API_KEY',
  urlVariable: 'OPENAI_BASE_URL',
  url: 'https://api.openai.com/v1',
  defaultModel: 'gpt-realtime',
  defaultVoice: 'marin',
  // Map the retired preview models to their successor.
  currentModel: (model) => (model.startsWith('gpt-4o-realtime-preview') ? 'gpt-realtime' : model),
  address: ({ url, key }, model) => {
    const address = new URL(`${url.replace(/\/+$/, '')}/realtime`)
    address.protocol = address.protocol === 'http:' || address.protocol === 'ws:' ? 'ws:' : 'wss:'
    address.searchParams.set('model', model)
    return { url: address.href, headers: { authorization: `Bearer ${key}` } }
  },
  api: (options) => new OpenAIApi(options),
}
