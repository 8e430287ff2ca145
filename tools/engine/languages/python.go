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
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	codegen "github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/pulumi/pulumi/sdk/v3/python/toolchain"
)

type python struct{}

// Returns the tools for the virtual environment that Pulumi.yaml names.
func (python) toolchain(info *pulumirpc.ProgramInfo) (toolchain.Toolchain, error) {
	virtualenv, _ := info.Options.AsMap()["virtualenv"].(string)
	return toolchain.ResolveToolchain(toolchain.PythonOptions{
		Root:       info.RootDirectory,
		ProgramDir: info.ProgramDirectory,
		Virtualenv: virtualenv,
		Toolchain:  toolchain.Pip,
	})
}

func (python) generate(
	pkg *schema.Package, loader schema.ReferenceLoader, request *pulumirpc.GeneratePackageRequest,
) (map[string][]byte, error) {
	return codegen.GeneratePackage("pulumi-language-python", pkg, request.ExtraFiles, loader)
}

func (python) generateProgram(program *pcl.Program) (map[string][]byte, hcl.Diagnostics, error) {
	return codegen.GenerateProgram(program)
}

func (p python) link(
	ctx context.Context, info *pulumirpc.ProgramInfo, packages map[string]*schema.Package,
) ([]string, error) {
	tools, err := p.toolchain(info)
	if err != nil {
		return nil, err
	}
	paths := map[string]string{}
	var imported []string
	for path, pkg := range packages {
		module := codegen.PyPack(pkg.Namespace, pkg.Name)
		paths[module] = path
		imported = append(imported, fmt.Sprintf("import %s as %s", module, strings.ReplaceAll(pkg.Name, "-", "_")))
	}
	return imported, tools.LinkPackages(ctx, paths)
}

func (p python) install(ctx context.Context, info *pulumirpc.ProgramInfo, out io.Writer) error {
	tools, err := p.toolchain(info)
	if err != nil {
		return err
	}
	return tools.InstallDependencies(ctx, info.ProgramDirectory, false, true, out, out)
}

func (p python) plugins(ctx context.Context, info *pulumirpc.ProgramInfo) ([]string, error) {
	tools, err := p.toolchain(info)
	if err != nil {
		return nil, err
	}
	if err := tools.EnsureVenv(ctx, info.ProgramDirectory, false, true, os.Stderr, os.Stderr); err != nil {
		return nil, err
	}
	command, err := tools.Command(ctx, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
	if err != nil {
		return nil, err
	}
	folder, err := command.Output()
	if err != nil {
		return nil, err
	}
	return filepath.Glob(filepath.Join(strings.TrimSpace(string(folder)), "*", "pulumi-plugin.json"))
}

func (p python) program(
	ctx context.Context, request *pulumirpc.RunRequest, engineAddress string,
) (*exec.Cmd, error) {
	tools, err := p.toolchain(request.Info)
	if err != nil {
		return nil, err
	}
	executable, err := os.Executable()
	if err != nil {
		return nil, err
	}
	// The SDK's own runner of programs.
	arguments := []string{
		filepath.Join(filepath.Dir(executable), "pulumi-language-python-exec"),
		"--monitor", request.MonitorAddress,
		"--engine", engineAddress,
		"--project", request.Project,
		"--root_directory", request.Info.RootDirectory,
		"--stack", request.Stack,
		"--pwd", request.Pwd,
		"--dry_run", strconv.FormatBool(request.DryRun),
		"--parallel", strconv.Itoa(int(request.Parallel)),
		"--organization", request.Organization,
		request.Info.EntryPoint,
	}
	return tools.Command(ctx, append(arguments, request.Args...)...)
}
