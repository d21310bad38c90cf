// The reference for `sess mcp`: the same package with one tool that answers at once.
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

serveStdio(() => {
  const server = new McpServer({ name: 'empty', version: '1' })
  server.registerTool('sessions', { description: 'nothing' }, () => ({
    content: [{ type: 'text', text: '' }],
  }))
  return server
})
