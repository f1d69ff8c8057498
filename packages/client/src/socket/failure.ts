import { errorFromResponse, FabricError } from '../http/error.ts'
import { fetchEndpoint, type SocketCredentials } from './endpoint.ts'

export const explainFailure = async (credentials: SocketCredentials): Promise<FabricError> => {
  const { host } = new URL(credentials.url)
  try {
    const response = await fetchEndpoint(credentials)
    if (response.status !== 426) return await errorFromResponse(response)
    await response.body?.cancel()
    // 426 means valid credentials, but a proxy swallowed the WebSocket upgrade.
    return new FabricError(426, 'no_upgrade', `${host} answers, but opens no WebSocket. ${PROXY_ADVICE}`)
  } catch (cause) {
    return new FabricError(0, 'network', `${host} could not be reached.`, { cause })
  }
}

const PROXY_ADVICE = 'A proxy in between has to pass on the Upgrade and Connection headers.'
