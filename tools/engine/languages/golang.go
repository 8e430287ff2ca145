package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	codegen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

type golang struct{}

func (golang) generate(
	pkg *schema.Package, _ schema.ReferenceLoader, request *pulumirpc.GeneratePackageRequest,
) (map[string][]byte, error) {
	return codegen.GeneratePackage("pulumi-language-go", pkg, request.LocalDependencies)
}

func (golang) generateProgram(program *pcl.Program) (map[string][]byte, hcl.Diagnostics, error) {
	return codegen.GenerateProgram(program)
}

func (golang) link(
	ctx context.Context, info *pulumirpc.ProgramInfo, packages map[string]*schema.Package,
) ([]string, error) {
	var imported []string
	for path, pkg := range packages {
		module := codegen.ExtractModulePath(pkg.Reference())
		replacement := fmt.Sprintf("-replace=%s=./%s", module, filepath.ToSlash(path))
		if err := run(ctx, info.ProgramDirectory, os.Stderr, "mod", "edit", replacement); err != nil {
			return nil, err
		}
		imported = append(imported, strconv.Quote(codegen.ExtractImportBasePath(pkg.Reference())))
	}
	return imported, nil
}

func (golang) install(ctx context.Context, info *pulumirpc.ProgramInfo, out io.Writer) error {
	return run(ctx, info.ProgramDirectory, out, "mod", "tidy")
}

func (golang) plugins(ctx context.Context, info *pulumirpc.ProgramInfo) ([]string, error) {
	// List all modules, not only imported packages: `pulumi import` writes a program that is empty at first.
	command := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "all")
	command.Dir = info.ProgramDirectory
	command.Stderr = os.Stderr
	modules, err := command.Output()
	if err != nil {
		return nil, err
	}
	var files []string
	for _, module := range strings.Fields(string(modules)) {
		// An SDK is a package of its module.
		for _, pattern := range []string{"pulumi-plugin.json", "*/pulumi-plugin.json"} {
			found, _ := filepath.Glob(filepath.Join(module, pattern))
			files = append(files, found...)
		}
	}
	return files, nil
}

func (golang) program(
	ctx context.Context, request *pulumirpc.RunRequest, engineAddress string,
) (*exec.Cmd, error) {
	folder, err := os.MkdirTemp("", "pulumi-go-")
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = os.RemoveAll(folder) })
	executable := filepath.Join(folder, "program")
	// The official host compiles with the same flags.
	build := []string{"build", "-buildvcs=false", "-trimpath", "-ldflags", "-w -s", "-o", executable}
	if err := run(ctx, request.Info.ProgramDirectory, os.Stderr, build...); err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, executable)
	command.Env = append(os.Environ(),
		"PULUMI_MONITOR="+request.MonitorAddress,
		"PULUMI_ENGINE="+engineAddress,
		"PULUMI_PROJECT="+request.Project,
		"PULUMI_ROOT_DIRECTORY="+request.Info.RootDirectory,
		"PULUMI_STACK="+request.Stack,
		"PULUMI_ORGANIZATION="+request.Organization,
		"PULUMI_DRY_RUN="+strconv.FormatBool(request.DryRun),
		"PULUMI_PARALLEL="+strconv.Itoa(int(request.Parallel)))
	return command, nil
}

func run(ctx context.Context, folder string, out io.Writer, arguments ...string) error {
	command := exec.CommandContext(ctx, "go", arguments...)
	command.Dir = folder
	command.Stdout, command.Stderr = out, out
	if err := command.Run(); err != nil {
		return fmt.Errorf("go %s: %w", arguments[0], err)
	}
	return nil
}
