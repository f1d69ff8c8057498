// Rivals for the same job, and the packages of each. Versions are pinned: a figure holds for one version.
export const rivals = {
  'socket.io': ['socket.io@4.8.4'],
  'AG-UI': ['@ag-ui/encoder@1.0.0'],
  'ai + redis': ['ai@7.0.169', 'resumable-stream@2.2.13', 'redis@6.3.1'],
  agents: ['agents@0.32.0', 'miniflare@4.20260730.0', 'esbuild@0.28.2'],
  'durable-streams': ['@durable-streams/server@0.3.7', '@durable-streams/client@0.2.6'],
} as const satisfies { readonly [name: string]: readonly string[] }

export type Rival = keyof typeof rivals
