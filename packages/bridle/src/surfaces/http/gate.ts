// In production only agents that declare a webhook trigger are exposed on the public route.
export interface GateEnv {
  readonly FABRIC_MODE?: string | undefined
  readonly FABRIC_ENV?: string | undefined
  readonly NODE_ENV?: string | undefined
}

/** Whether every registered agent is exposed. */
export const exposesAll = ({ FABRIC_MODE, FABRIC_ENV, NODE_ENV }: GateEnv): boolean =>
  FABRIC_MODE === 'local' || FABRIC_MODE === 'dev' || (FABRIC_ENV !== 'production' && NODE_ENV !== 'production')
