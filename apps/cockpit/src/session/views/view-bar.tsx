// The bar of a session's page: the way to its other pages, and the controls of this one.
import type { ReactNode } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { hrefOfView, sessionViews } from './views.ts'

const THREAD = { id: null, word: 'Thread' }

export const ViewBar = ({ children }: { readonly children?: ReactNode }) => {
  const [query] = useSearchParams()
  const [path] = useLocation()
  const current = query.get('view')
  return (
    <div className="tools-bar">
      <nav className="tabs" aria-label="Session pages">
        {[THREAD, ...sessionViews].map(({ id, word }) => (
          <Link
            key={word}
            href={hrefOfView(path, query, id)}
            {...(id === current && { 'aria-current': 'page', className: 'on' })}
          >
            {word}
          </Link>
        ))}
      </nav>
      {children}
    </div>
  )
}
