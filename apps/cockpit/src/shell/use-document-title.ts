import { useEffect } from 'react'
import { useLocation } from 'wouter'
import { useLive } from '../server/server-context.tsx'
import { documentTitle } from './document-title.ts'

export const useDocumentTitle = (): void => {
  const [path] = useLocation()
  const title = useLive(({ approvals, sessions }) => documentTitle(path, sessions, approvals.length))
  useEffect(() => {
    document.title = title
  }, [title])
}
