import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { waitingText } from '../server/live-store.ts'
import { useLive } from '../server/server-context.tsx'
import { documentTitle } from './document-title.ts'

export const useDocumentTitle = (): void => {
  const [path] = useLocation()
  const title = useLive((state) => documentTitle(path, state.sessions, waitingText(state)))
  useEffect(() => {
    document.title = title
  }, [title])
}
