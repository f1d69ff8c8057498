// The cascade: any agent is spoken with through a service that hears and one that speaks.
import type { VoiceEngine } from '../engine.ts'
import { CascadeLine, type CascadePorts } from './cascade-line.ts'
import type { CascadeSettings } from './settings.ts'

/** Lines through the services of the settings. Opening one asks no service: faults come with the first words. */
export const cascadeEngine = (
  settings: CascadeSettings,
  request: CascadePorts['fetch'] = (input, init) => fetch(input, init),
): VoiceEngine<CascadeLine> => ({
  open: async (wishes, client, ports, onClosed = () => {}) =>
    new CascadeLine(settings, wishes, client, { ...ports, fetch: request, onClosed }),
})
