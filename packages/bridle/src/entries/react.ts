export * from '@bridle/react/index'
